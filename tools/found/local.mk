# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/found/clash_filter.c \
	tools/found/clash_groups.c \
	tools/found/clash_issues.c \
	tools/found/clash_kept.c \
	tools/found/issue_ids.c \
	tools/found/issue_title.c
noinst_HEADERS += \
	tools/found/clash_filter.h \
	tools/found/clash_groups.h \
	tools/found/clash_issues.h \
	tools/found/clash_kept.h \
	tools/found/issue_ids.h \
	tools/found/issue_title.h
