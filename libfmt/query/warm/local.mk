# SPDX-License-Identifier: MIT
LIBBVPACK_SOURCES += \
	libfmt/query/warm/front.c \
	libfmt/query/warm/warm.c
KERNEL_SOURCES += \
	libfmt/query/warm/front_kernel.c \
	libfmt/query/warm/last_kernel.c
noinst_HEADERS += \
	libfmt/query/warm/front.h \
	libfmt/query/warm/front_planes.h \
	libfmt/query/warm/warm.h
