# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/match/match_files.c \
	tools/match/match_instances.c \
	tools/match/match_nearest.c \
	tools/match/match_side.c
noinst_HEADERS += \
	tools/match/match_files.h \
	tools/match/match_instances.h \
	tools/match/match_nearest.h \
	tools/match/match_side.h
