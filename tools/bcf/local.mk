# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/bcf/bcf_markup.c \
	tools/bcf/bcf_view.c \
	tools/bcf/bcf_xml.c \
	tools/bcf/report_bcf.c
noinst_HEADERS += \
	tools/bcf/bcf_markup.h \
	tools/bcf/bcf_view.h \
	tools/bcf/bcf_xml.h
