# SPDX-License-Identifier: MIT
LIBBVPACK_SOURCES += \
	libfmt/refit/refit_part.c \
	libfmt/refit/refit_top.c
KERNEL_SOURCES += \
	libfmt/refit/refit_aabb_kernel.c \
	libfmt/refit/refit_boxtree_kernel.c \
	libfmt/refit/refit_kernel.c \
	libfmt/refit/refit_oriented_kernel.c \
	libfmt/refit/refit_wide_kernel.c
noinst_HEADERS += \
	libfmt/refit/refit.h \
	libfmt/refit/refit_block.h \
	libfmt/refit/refit_corners.h \
	libfmt/refit/refit_volume.h
