# SPDX-License-Identifier: MIT
LIBBVPACK_SOURCES += \
	libfmt/format/check/annotate.c \
	libfmt/format/check/annotate_binary.c \
	libfmt/format/check/annotate_data.c \
	libfmt/format/check/annotate_fields.c \
	libfmt/format/check/annotate_rays.c \
	libfmt/format/check/annotate_values.c \
	libfmt/format/check/decode_cluster.c \
	libfmt/format/check/verify_ahead.c \
	libfmt/format/check/verify_binary.c \
	libfmt/format/check/verify_buffers.c \
	libfmt/format/check/verify_content.c \
	libfmt/format/check/verify_file.c \
	libfmt/format/check/verify_framing.c \
	libfmt/format/check/verify_instances.c \
	libfmt/format/check/verify_nodes.c \
	libfmt/format/check/verify_parts.c \
	libfmt/format/check/verify_rays.c \
	libfmt/format/check/verify_shared.c \
	libfmt/format/check/verify_tree.c \
	libfmt/format/check/verify_volumes.c
noinst_HEADERS += \
	libfmt/format/check/annotate.h \
	libfmt/format/check/decode_cluster.h \
	libfmt/format/check/verify_file.h
