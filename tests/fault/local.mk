# SPDX-License-Identifier: MIT
FAULT_SOURCES += \
	tests/fault/failing.c \
	tests/fault/failing_alloc.c \
	tests/fault/failing_calls.c \
	tests/fault/folder.c \
	tests/fault/inputs.c \
	tests/fault/left.c \
	tests/fault/loop.c \
	tests/fault/program.c
noinst_HEADERS += \
	tests/fault/answer.h \
	tests/fault/ask_file.h \
	tests/fault/failing.h \
	tests/fault/folder.h \
	tests/fault/function_cases.h \
	tests/fault/inputs.h \
	tests/fault/left.h \
	tests/fault/loop.h
