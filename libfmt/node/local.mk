# SPDX-License-Identifier: MIT
CORE_SOURCES += \
	libfmt/node/grid.c \
	libfmt/node/raw_cluster.c \
	libfmt/node/show_boxes.c \
	libfmt/node/triangles.c \
	libfmt/node/turn.c \
	libfmt/node/vertices.c
noinst_HEADERS += \
	libfmt/node/aabb_node.h \
	libfmt/node/binary_node.h \
	libfmt/node/cluster_record.h \
	libfmt/node/frame.h \
	libfmt/node/grid.h \
	libfmt/node/raw_cluster.h \
	libfmt/node/ray_meshlet.h \
	libfmt/node/tri8.h \
	libfmt/node/turn.h \
	libfmt/node/wide_node.h
