# SPDX-License-Identifier: MIT
KERNEL_SOURCES += \
	libfmt/kinds/query/boxtree_pair_kernel.c \
	libfmt/kinds/query/obb_pair_kernel.c \
	libfmt/kinds/query/rss_pair_kernel.c
noinst_HEADERS += \
	libfmt/kinds/query/binary_body.h \
	libfmt/kinds/query/oriented_pair.h
