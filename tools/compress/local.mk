# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/compress/piecewise_hash.c \
	tools/compress/seekable_read.c \
	tools/compress/seekable_write.c
noinst_HEADERS += \
	tools/compress/piecewise_hash.h \
	tools/compress/seekable_format.h \
	tools/compress/seekable_read.h \
	tools/compress/seekable_write.h
