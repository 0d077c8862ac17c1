# SPDX-License-Identifier: MIT
LIBBVPACK_SOURCES += \
	libfmt/query/pair/coincident.c \
	libfmt/query/pair/far_bodies.c \
	libfmt/query/pair/pair_body.c \
	libfmt/query/pair/ties.c
KERNEL_SOURCES += \
	libfmt/query/pair/aabb_pair_kernel.c \
	libfmt/query/pair/binary_leaf_kernel.c \
	libfmt/query/pair/facing_kernel.c \
	libfmt/query/pair/pair_kernel.c \
	libfmt/query/pair/pair_leaf_kernel.c \
	libfmt/query/pair/pair_queue_kernel.c
noinst_HEADERS += \
	libfmt/query/pair/binary_boxes.h \
	libfmt/query/pair/binary_four.h \
	libfmt/query/pair/binary_leaf.h \
	libfmt/query/pair/binary_pair.h \
	libfmt/query/pair/binary_walk.h \
	libfmt/query/pair/coincident.h \
	libfmt/query/pair/facing.h \
	libfmt/query/pair/far_bodies.h \
	libfmt/query/pair/pair_batch.h \
	libfmt/query/pair/pair_boxes.h \
	libfmt/query/pair/pair_heap.h \
	libfmt/query/pair/pair_leaf.h \
	libfmt/query/pair/pair_narrow.h \
	libfmt/query/pair/pair_parts.h \
	libfmt/query/pair/pair_query.h \
	libfmt/query/pair/pair_queue.h \
	libfmt/query/pair/pair_walk.h \
	libfmt/query/pair/projection.h \
	libfmt/query/pair/ties.h
