# SPDX-License-Identifier: MIT
CORE_SOURCES += \
	libfmt/format/advise.c \
	libfmt/format/arena.c \
	libfmt/format/attached.c \
	libfmt/format/checksum.c \
	libfmt/format/codec.c \
	libfmt/format/colours.c \
	libfmt/format/digest.c \
	libfmt/format/file_columns.c \
	libfmt/format/file_info.c \
	libfmt/format/header.c \
	libfmt/format/identity.c \
	libfmt/format/lazy.c \
	libfmt/format/linear.c \
	libfmt/format/map.c \
	libfmt/format/outside.c \
	libfmt/format/outside_decode.c \
	libfmt/format/record.c \
	libfmt/format/source.c \
	libfmt/format/source_ahead.c \
	libfmt/format/source_beside.c \
	libfmt/format/source_chunks.c \
	libfmt/format/thin.c \
	libfmt/format/triangle_ids.c \
	libfmt/format/write.c
noinst_HEADERS += \
	libfmt/format/advise.h \
	libfmt/format/attached.h \
	libfmt/format/checksum.h \
	libfmt/format/codec.h \
	libfmt/format/colours.h \
	libfmt/format/digest.h \
	libfmt/format/header.h \
	libfmt/format/identity.h \
	libfmt/format/layout.h \
	libfmt/format/lazy.h \
	libfmt/format/linear.h \
	libfmt/format/map.h \
	libfmt/format/outside.h \
	libfmt/format/record.h \
	libfmt/format/slice.h \
	libfmt/format/source.h \
	libfmt/format/source_cache.h \
	libfmt/format/thin.h \
	libfmt/format/triangle_ids.h \
	libfmt/format/write.h
