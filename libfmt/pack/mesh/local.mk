# SPDX-License-Identifier: MIT
BUILD_KERNEL_SOURCES += \
	libfmt/pack/mesh/axis_codes_kernel.c \
	libfmt/pack/mesh/defects_kernel.c
LIBBVPACK_BUILD_SOURCES += \
	libfmt/pack/mesh/axis_codes.c \
	libfmt/pack/mesh/check_mesh.c \
	libfmt/pack/mesh/corner_codes.c \
	libfmt/pack/mesh/defects.c \
	libfmt/pack/mesh/edge_keys.c \
	libfmt/pack/mesh/find_strays.c \
	libfmt/pack/mesh/id_codes.c \
	libfmt/pack/mesh/intake.c \
	libfmt/pack/mesh/rebase.c \
	libfmt/pack/mesh/weld.c \
	libfmt/pack/mesh/welded.c
noinst_HEADERS += \
	libfmt/pack/mesh/axis_codes.h \
	libfmt/pack/mesh/axis_codes_kernel.h \
	libfmt/pack/mesh/check_mesh.h \
	libfmt/pack/mesh/corner_codes.h \
	libfmt/pack/mesh/defects.h \
	libfmt/pack/mesh/defects_kernel.h \
	libfmt/pack/mesh/edge_keys.h \
	libfmt/pack/mesh/find_strays.h \
	libfmt/pack/mesh/id_codes.h \
	libfmt/pack/mesh/intake.h \
	libfmt/pack/mesh/mesh.h \
	libfmt/pack/mesh/rebase.h \
	libfmt/pack/mesh/vertex_hash.h \
	libfmt/pack/mesh/weld.h \
	libfmt/pack/mesh/welded.h
