# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/issues/bcf_read.c \
	tools/issues/issue_date.c \
	tools/issues/issue_guid.c \
	tools/issues/issue_import.c \
	tools/issues/issue_list.c \
	tools/issues/issue_log.c \
	tools/issues/issue_status.c \
	tools/issues/issue_titles.c \
	tools/issues/issue_topic.c \
	tools/issues/verb_issues.c
noinst_HEADERS += \
	tools/issues/bcf_read.h \
	tools/issues/issue_date.h \
	tools/issues/issue_guid.h \
	tools/issues/issue_import.h \
	tools/issues/issue_list.h \
	tools/issues/issue_log.h \
	tools/issues/issue_status.h \
	tools/issues/issue_titles.h \
	tools/issues/issue_topic.h
