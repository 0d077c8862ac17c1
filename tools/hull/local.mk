# SPDX-License-Identifier: MIT
TOOL_SOURCES += tools/hull/hull_file.c
noinst_HEADERS += tools/hull/hull_file.h
