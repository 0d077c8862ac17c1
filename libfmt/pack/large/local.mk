# SPDX-License-Identifier: MIT
LIBBVPACK_BUILD_SOURCES += \
	libfmt/pack/large/check_state.c \
	libfmt/pack/large/describe.c \
	libfmt/pack/large/edge_count.c \
	libfmt/pack/large/large_wide.c \
	libfmt/pack/large/run.c \
	libfmt/pack/large/scratch.c \
	libfmt/pack/large/sets.c \
	libfmt/pack/large/share.c \
	libfmt/pack/large/spool.c \
	libfmt/pack/large/state.c \
	libfmt/pack/large/vertex_ranks.c
noinst_HEADERS += \
	libfmt/pack/large/check_state.h \
	libfmt/pack/large/describe.h \
	libfmt/pack/large/edge_count.h \
	libfmt/pack/large/large_wide.h \
	libfmt/pack/large/run.h \
	libfmt/pack/large/scratch.h \
	libfmt/pack/large/sets.h \
	libfmt/pack/large/share.h \
	libfmt/pack/large/spool.h \
	libfmt/pack/large/state.h \
	libfmt/pack/large/vertex_ranks.h
