# SPDX-License-Identifier: MIT
LIBBVPACK_SOURCES += \
	libfmt/query/api_body.c \
	libfmt/query/api_candidates.c \
	libfmt/query/api_convex.c \
	libfmt/query/api_float_rays.c \
	libfmt/query/api_inside.c \
	libfmt/query/api_instances_in.c \
	libfmt/query/api_nearest_instances.c \
	libfmt/query/api_open.c \
	libfmt/query/api_pair.c \
	libfmt/query/api_rays.c \
	libfmt/query/api_warm.c
