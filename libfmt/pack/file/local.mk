# SPDX-License-Identifier: MIT
LIBBVPACK_BUILD_SOURCES += \
	libfmt/pack/file/builder.c \
	libfmt/pack/file/convert_parts.c \
	libfmt/pack/file/copy_part.c \
	libfmt/pack/file/equal_parts.c \
	libfmt/pack/file/finish.c \
	libfmt/pack/file/hierarchy_order.c \
	libfmt/pack/file/linear_order.c \
	libfmt/pack/file/packed_parts.c \
	libfmt/pack/file/part_buffers.c \
	libfmt/pack/file/part_bytes.c \
	libfmt/pack/file/product.c \
	libfmt/pack/file/rebuild_part.c \
	libfmt/pack/file/save.c \
	libfmt/pack/file/stream_part.c \
	libfmt/pack/file/tables.c \
	libfmt/pack/file/use_order.c
noinst_HEADERS += \
	libfmt/pack/file/builder.h \
	libfmt/pack/file/finish.h \
	libfmt/pack/file/hierarchy_order.h \
	libfmt/pack/file/linear_order.h \
	libfmt/pack/file/part_bytes.h \
	libfmt/pack/file/product.h \
	libfmt/pack/file/rebuild_part.h \
	libfmt/pack/file/save.h \
	libfmt/pack/file/tables.h \
	libfmt/pack/file/use_order.h
