# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/process/libexec.c
noinst_HEADERS += \
	tools/process/libexec.h
