# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/refit/refit_model.c \
	tools/refit/verb_refit.c \
	tools/refit/warp.c
noinst_HEADERS += \
	tools/refit/refit_model.h \
	tools/refit/warp.h
