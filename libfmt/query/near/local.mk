# SPDX-License-Identifier: MIT
LIBBVPACK_SOURCES += \
	libfmt/query/near/closest.c \
	libfmt/query/near/convex_query.c \
	libfmt/query/near/near_order.c \
	libfmt/query/near/overlap.c
KERNEL_SOURCES += \
	libfmt/query/near/closest_kernel.c \
	libfmt/query/near/convex_kernel.c \
	libfmt/query/near/overlap_kernel.c
noinst_HEADERS += \
	libfmt/query/near/closest.h \
	libfmt/query/near/closest_walk.h \
	libfmt/query/near/convex_query.h \
	libfmt/query/near/near_order.h \
	libfmt/query/near/overlap.h
