# SPDX-License-Identifier: MIT
# in the libraries and, since they do not export it, once more in the program
CORE_SOURCES += libfmt/publish/publish.c
TOOL_SOURCES += libfmt/publish/publish.c
noinst_HEADERS += libfmt/publish/publish.h
