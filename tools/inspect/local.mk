# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/inspect/info_kinds.c \
	tools/inspect/verb_dump.c \
	tools/inspect/verb_info.c \
	tools/inspect/verb_verify.c
noinst_HEADERS += \
	tools/inspect/info_kinds.h
