# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/plan/plan_command.c \
	tools/plan/plan_export.c \
	tools/plan/plan_print.c \
	tools/plan/plan_rates.c \
	tools/plan/plan_stages.c \
	tools/plan/verb_plan.c
noinst_HEADERS += \
	tools/plan/plan_command.h \
	tools/plan/plan_export.h \
	tools/plan/plan_print.h \
	tools/plan/plan_rates.h \
	tools/plan/plan_stages.h
