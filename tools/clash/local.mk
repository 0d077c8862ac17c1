# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/clash/clash_baseline.c \
	tools/clash/clash_gather.c \
	tools/clash/clash_journal.c \
	tools/clash/clash_missing.c \
	tools/clash/clash_past.c \
	tools/clash/clash_print.c \
	tools/clash/clash_records.c \
	tools/clash/clash_run.c \
	tools/clash/clash_share.c \
	tools/clash/clash_state.c \
	tools/clash/clash_tolerance.c \
	tools/clash/operand_select.c \
	tools/clash/verb_clash.c
noinst_HEADERS += \
	tools/clash/clash_baseline.h \
	tools/clash/clash_job.h \
	tools/clash/clash_gather.h \
	tools/clash/clash_journal.h \
	tools/clash/clash_missing.h \
	tools/clash/clash_past.h \
	tools/clash/clash_records.h \
	tools/clash/clash_share.h \
	tools/clash/clash_state.h \
	tools/clash/clash_tolerance.h
