# SPDX-License-Identifier: MIT
BUILD_KERNEL_SOURCES += \
	libfmt/kinds/pack/oriented_kernel.c
LIBBVPACK_BUILD_SOURCES += \
	libfmt/kinds/pack/boxtree_planes.c \
	libfmt/kinds/pack/hull_axes.c \
	libfmt/kinds/pack/hull_points.c \
	libfmt/kinds/pack/oriented_fit.c \
	libfmt/kinds/pack/volume.c
noinst_HEADERS += \
	libfmt/kinds/pack/boxtree_planes.h \
	libfmt/kinds/pack/hull_axes.h \
	libfmt/kinds/pack/oriented_fit.h \
	libfmt/kinds/pack/oriented_kernel.h
