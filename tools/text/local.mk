# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/text/colour_runs.c \
	tools/text/glob.c \
	tools/text/hash64.c \
	tools/text/hex.c \
	tools/text/json.c \
	tools/text/json_list.c \
	tools/text/json_tree.c \
	tools/text/keyword.c \
	tools/text/memory_text.c \
	tools/text/message.c \
	tools/text/primitive_names.c \
	tools/text/text_scan.c
noinst_HEADERS += \
	tools/text/array.h \
	tools/text/colour_runs.h \
	tools/text/glob.h \
	tools/text/hash64.h \
	tools/text/hex.h \
	tools/text/json.h \
	tools/text/json_list.h \
	tools/text/json_tree.h \
	tools/text/keyword.h \
	tools/text/memory_text.h \
	tools/text/message.h \
	tools/text/primitive_names.h \
	tools/text/text_scan.h
