# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/rules/clash_json.c \
	tools/rules/clash_rules.c \
	tools/rules/clash_rules_read.c \
	tools/rules/clash_select.c \
	tools/rules/name_words.c
noinst_HEADERS += \
	tools/rules/clash_json.h \
	tools/rules/clash_rules.h \
	tools/rules/clash_select.h \
	tools/rules/name_words.h
