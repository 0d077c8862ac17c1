# SPDX-License-Identifier: MIT
CORE_SOURCES += \
	libfmt/base/hash_table.c \
	libfmt/base/large_array.c \
	libfmt/base/meter.c \
	libfmt/base/parallel.c \
	libfmt/base/report.c \
	libfmt/base/status.c \
	libfmt/base/utf8.c
noinst_HEADERS += \
	libfmt/base/arena.h \
	libfmt/base/checked.h \
	libfmt/base/dd.h \
	libfmt/base/dd2.h \
	libfmt/base/exact_product.h \
	libfmt/base/growing_array.h \
	libfmt/base/hash_table.h \
	libfmt/base/isa.h \
	libfmt/base/large_array.h \
	libfmt/base/load.h \
	libfmt/base/meter.h \
	libfmt/base/parallel.h \
	libfmt/base/report.h \
	libfmt/base/simd.h \
	libfmt/base/simd_f32.h \
	libfmt/base/simd_f64.h \
	libfmt/base/simd_int.h \
	libfmt/base/simd_types.h \
	libfmt/base/status.h \
	libfmt/base/sum.h \
	libfmt/base/thread.h \
	libfmt/base/utf8.h \
	libfmt/base/vec3.h
