# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/attach/glb_edit.c \
	tools/attach/verb_attach.c
noinst_HEADERS += \
	tools/attach/glb_edit.h
