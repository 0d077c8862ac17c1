# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/meshopt/meshopt.c
noinst_HEADERS += \
	tools/meshopt/meshopt.h
