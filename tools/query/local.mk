# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/query/convex_text.c \
	tools/query/instance_title.c \
	tools/query/instance_tree.c \
	tools/query/query_batch.c \
	tools/query/query_closest.c \
	tools/query/query_convex.c \
	tools/query/query_instances.c \
	tools/query/query_overlap.c \
	tools/query/query_pair.c \
	tools/query/query_ray.c \
	tools/query/verb_query.c
noinst_HEADERS += \
	tools/query/convex_text.h \
	tools/query/instance_title.h \
	tools/query/instance_tree.h \
	tools/query/query_kind.h
