# SPDX-License-Identifier: MIT
BUILD_KERNEL_SOURCES += \
	libfmt/pack/tree/items_kernel.c \
	libfmt/pack/tree/mean_kernel.c \
	libfmt/pack/tree/sah_split_kernel.c
LIBBVPACK_BUILD_SOURCES += \
	libfmt/pack/tree/aabb_boxes.c \
	libfmt/pack/tree/batches.c \
	libfmt/pack/tree/binary_tree.c \
	libfmt/pack/tree/cluster_cut.c \
	libfmt/pack/tree/collapse.c \
	libfmt/pack/tree/full_leaves.c \
	libfmt/pack/tree/item_order.c \
	libfmt/pack/tree/items.c \
	libfmt/pack/tree/morton.c \
	libfmt/pack/tree/partition.c \
	libfmt/pack/tree/piece.c \
	libfmt/pack/tree/ray_tree.c \
	libfmt/pack/tree/sah_split.c \
	libfmt/pack/tree/sample.c \
	libfmt/pack/tree/scales.c \
	libfmt/pack/tree/seeds.c \
	libfmt/pack/tree/top_tree.c \
	libfmt/pack/tree/turn_choice.c \
	libfmt/pack/tree/wide_batch.c \
	libfmt/pack/tree/wide_tree.c
noinst_HEADERS += \
	libfmt/pack/tree/aabb_boxes.h \
	libfmt/pack/tree/batches.h \
	libfmt/pack/tree/binary_tree.h \
	libfmt/pack/tree/cluster_cut.h \
	libfmt/pack/tree/collapse.h \
	libfmt/pack/tree/full_leaves.h \
	libfmt/pack/tree/item_order.h \
	libfmt/pack/tree/items.h \
	libfmt/pack/tree/items_kernel.h \
	libfmt/pack/tree/mean_kernel.h \
	libfmt/pack/tree/morton.h \
	libfmt/pack/tree/partition.h \
	libfmt/pack/tree/piece.h \
	libfmt/pack/tree/ray_tree.h \
	libfmt/pack/tree/sah_split.h \
	libfmt/pack/tree/sah_split_kernel.h \
	libfmt/pack/tree/sample.h \
	libfmt/pack/tree/scales.h \
	libfmt/pack/tree/seeds.h \
	libfmt/pack/tree/top_tree.h \
	libfmt/pack/tree/turn_choice.h \
	libfmt/pack/tree/volume.h \
	libfmt/pack/tree/wide_batch.h \
	libfmt/pack/tree/wide_tree.h
