# SPDX-License-Identifier: MIT
noinst_HEADERS += tools/path/whole_path.h
