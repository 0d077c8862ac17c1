# SPDX-License-Identifier: MIT
CORE_SOURCES += \
	libfmt/refit/refit_aabb.c \
	libfmt/refit/refit_block.c \
	libfmt/refit/refit_boxtree.c \
	libfmt/refit/refit_oriented.c \
	libfmt/refit/refit_part.c \
	libfmt/refit/refit_top.c \
	libfmt/refit/refit_wide.c
noinst_HEADERS += \
	libfmt/refit/refit.h \
	libfmt/refit/refit_block.h
