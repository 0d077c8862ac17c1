# SPDX-License-Identifier: MIT
LIBBVPACK_SOURCES += \
	libfmt/query/body/filter.c \
	libfmt/query/body/placed_body.c
noinst_HEADERS += \
	libfmt/query/body/binary_body.h \
	libfmt/query/body/body_walk.h \
	libfmt/query/body/caller_array.h \
	libfmt/query/body/filter.h \
	libfmt/query/body/kind_table.h \
	libfmt/query/body/placed_body.h \
	libfmt/query/body/ray_walk.h
