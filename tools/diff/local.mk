# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/diff/diff_print.c \
	tools/diff/diff_properties.c \
	tools/diff/diff_rows.c \
	tools/diff/verb_diff.c
noinst_HEADERS += \
	tools/diff/diff_findings.h \
	tools/diff/diff_properties.h \
	tools/diff/diff_rows.h
