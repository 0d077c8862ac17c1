# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/plmxml/import_plmxml.c \
	tools/plmxml/plmxml_parts.c
noinst_HEADERS += \
	tools/plmxml/plmxml.h
