# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/store/convert_file.c \
	tools/store/last_output.c \
	tools/store/part_table.c \
	tools/store/source_index.c \
	tools/store/source_record.c \
	tools/store/store.c
noinst_HEADERS += \
	tools/store/convert_file.h \
	tools/store/last_output.h \
	tools/store/part_table.h \
	tools/store/source_index.h \
	tools/store/source_record.h \
	tools/store/store.h
