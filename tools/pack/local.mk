# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/pack/merge_shards.c \
	tools/pack/pack_build.c \
	tools/pack/pack_input.c \
	tools/pack/pack_known.c \
	tools/pack/pack_mesh.c \
	tools/pack/pack_plan.c \
	tools/pack/pack_report.c \
	tools/pack/pack_settings.c \
	tools/pack/pack_shard.c \
	tools/pack/pack_store.c \
	tools/pack/shard.c \
	tools/pack/verb_compress.c \
	tools/pack/verb_merge.c \
	tools/pack/verb_pack.c \
	tools/pack/verb_repack.c \
	tools/pack/verb_split.c
noinst_HEADERS += \
	tools/pack/merge_shards.h \
	tools/pack/pack_build.h \
	tools/pack/pack_input.h \
	tools/pack/pack_mesh.h \
	tools/pack/pack_plan.h \
	tools/pack/pack_report.h \
	tools/pack/pack_shard.h \
	tools/pack/pack_store.h \
	tools/pack/shard.h
