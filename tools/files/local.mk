# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/files/archive.c \
	tools/files/file_source.c \
	tools/files/input.c \
	tools/files/output.c \
	tools/files/packed_file.c \
	tools/files/record_text.c \
	tools/files/spill.c \
	tools/files/stamp.c \
	tools/files/temporary.c \
	tools/files/uri.c
if WINDOWS
TOOL_SOURCES += tools/files/beneath_windows.c
else
TOOL_SOURCES += tools/files/beneath.c
endif
noinst_HEADERS += \
	tools/files/archive.h \
	tools/files/beneath.h \
	tools/files/file_source.h \
	tools/files/input.h \
	tools/files/output.h \
	tools/files/packed_file.h \
	tools/files/record_text.h \
	tools/files/spill.h \
	tools/files/stamp.h \
	tools/files/temporary.h \
	tools/files/uri.h
