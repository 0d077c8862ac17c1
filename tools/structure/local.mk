# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/structure/part_files.c \
	tools/structure/unfolding.c \
	tools/structure/xml.c \
	tools/structure/xml_refuse.c
noinst_HEADERS += \
	tools/structure/part_files.h \
	tools/structure/unfolding.h \
	tools/structure/xml.h \
	tools/structure/xml_refuse.h
