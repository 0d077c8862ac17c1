# SPDX-License-Identifier: MIT
LIBBVPACK_SOURCES += \
	libfmt/query/solid/solid_angle.c \
	libfmt/query/solid/solid_point.c \
	libfmt/query/solid/solid_where.c
noinst_HEADERS += \
	libfmt/query/solid/solid.h
