# SPDX-License-Identifier: MIT
LIBBVPACK_SOURCES += \
	libfmt/query/ray/ray_query.c
KERNEL_SOURCES += \
	libfmt/query/ray/ray_kernel.c \
	libfmt/query/ray/ray_meshlet_decide_kernel.c \
	libfmt/query/ray/ray_meshlet_packet_kernel.c \
	libfmt/query/ray/ray_packet_kernel.c \
	libfmt/query/ray/ray_turns_kernel.c
noinst_HEADERS += \
	libfmt/query/ray/ray_batch.h \
	libfmt/query/ray/ray_frame.h \
	libfmt/query/ray/ray_grid.h \
	libfmt/query/ray/ray_meshlet_batch.h \
	libfmt/query/ray/ray_meshlet_leaf.h \
	libfmt/query/ray/ray_meshlet_walk.h \
	libfmt/query/ray/ray_packet.h \
	libfmt/query/ray/ray_packet_leaf.h \
	libfmt/query/ray/ray_packet_walk.h \
	libfmt/query/ray/ray_part.h \
	libfmt/query/ray/ray_query.h \
	libfmt/query/ray/ray_slab.h
