# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/stream/import_thread.c \
	tools/stream/record_stream.c \
	tools/stream/triangle_stream.c
noinst_HEADERS += \
	tools/stream/import_thread.h \
	tools/stream/record_stream.h \
	tools/stream/triangle_stream.h
