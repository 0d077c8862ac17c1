# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/meshopt/meshopt.c \
	tools/meshopt/meshopt_attributes.c
noinst_HEADERS += \
	tools/meshopt/meshopt.h \
	tools/meshopt/meshopt_attributes.h
