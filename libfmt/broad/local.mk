# SPDX-License-Identifier: MIT
LIBBVPACK_SOURCES += \
	libfmt/broad/body_bounds.c \
	libfmt/broad/broad_ask.c \
	libfmt/broad/broad_bodies.c \
	libfmt/broad/broad_near.c \
	libfmt/broad/broad_tree.c \
	libfmt/broad/broad_update.c \
	libfmt/broad/key_sort.c
KERNEL_SOURCES += \
	libfmt/broad/broad_kernel.c \
	libfmt/broad/broad_move_kernel.c
noinst_HEADERS += \
	libfmt/broad/body_bounds.h \
	libfmt/broad/broad.h \
	libfmt/broad/broad_tree.h \
	libfmt/broad/fat_box.h \
	libfmt/broad/four_lanes.h \
	libfmt/broad/key_sort.h \
	libfmt/broad/place_box.h
