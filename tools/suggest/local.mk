# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/suggest/suggest_rules.c \
	tools/suggest/suggest_write.c \
	tools/suggest/surface_fit.c
noinst_HEADERS += \
	tools/suggest/suggest_rules.h \
	tools/suggest/surface_fit.h
