# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/cli/completion.c \
	tools/cli/file_fault.c \
	tools/cli/manual.c \
	tools/cli/operand.c \
	tools/cli/options.c \
	tools/cli/progress.c \
	tools/cli/shard_number.c \
	tools/cli/start_thread.c \
	tools/cli/timeout.c \
	tools/cli/truncation.c \
	tools/cli/unit_hint.c \
	tools/cli/units.c
noinst_HEADERS += \
	tools/cli/file_fault.h \
	tools/cli/manual.h \
	tools/cli/operand.h \
	tools/cli/options.h \
	tools/cli/progress.h \
	tools/cli/shard_number.h \
	tools/cli/start_thread.h \
	tools/cli/timeout.h \
	tools/cli/truncation.h \
	tools/cli/unit_hint.h \
	tools/cli/units.h \
	tools/cli/verb.h
