# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/ap242/ap242_parts.c \
	tools/ap242/ap242_text.c \
	tools/ap242/import_ap242.c
noinst_HEADERS += \
	tools/ap242/ap242.h
