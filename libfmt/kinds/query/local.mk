# SPDX-License-Identifier: MIT
LIBBVPACK_SOURCES += \
	libfmt/kinds/query/kind_table.c \
	libfmt/kinds/query/volume_boxes.c
if ALL_KINDS
KERNEL_SOURCES += \
	libfmt/kinds/query/boxtree_pair_kernel.c \
	libfmt/kinds/query/obb_pair_kernel.c \
	libfmt/kinds/query/rss_pair_kernel.c
endif
noinst_HEADERS += \
	libfmt/kinds/query/kind_pairs.h \
	libfmt/kinds/query/oriented_box.h \
	libfmt/kinds/query/oriented_pair.h \
	libfmt/kinds/query/volume_boxes.h
