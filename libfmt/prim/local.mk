# SPDX-License-Identifier: MIT
CORE_SOURCES += \
	libfmt/prim/big.c \
	libfmt/prim/box_box.c \
	libfmt/prim/convex.c \
	libfmt/prim/convex_tri.c \
	libfmt/prim/place_bounds.c \
	libfmt/prim/point_tri.c \
	libfmt/prim/points.c \
	libfmt/prim/points_of_triangles.c \
	libfmt/prim/pose.c \
	libfmt/prim/ray_crossing.c \
	libfmt/prim/rss_dist.c \
	libfmt/prim/tri_ball.c \
	libfmt/prim/tri_box.c \
	libfmt/prim/tri_cross.c \
	libfmt/prim/tri_dist.c \
	libfmt/prim/tri_dist_exact.c \
	libfmt/prim/tri_ray.c \
	libfmt/prim/tri_tri_exact.c
noinst_HEADERS += \
	libfmt/prim/big.h \
	libfmt/prim/box_box.h \
	libfmt/prim/box_convex.h \
	libfmt/prim/box_point.h \
	libfmt/prim/box_ray.h \
	libfmt/prim/box_region.h \
	libfmt/prim/convex.h \
	libfmt/prim/convex_tri.h \
	libfmt/prim/gjk.h \
	libfmt/prim/gjk_of.h \
	libfmt/prim/nearest.h \
	libfmt/prim/nearest8.h \
	libfmt/prim/nearest_of.h \
	libfmt/prim/obb_obb.h \
	libfmt/prim/obb_tri8.h \
	libfmt/prim/place_bounds.h \
	libfmt/prim/point_bounds_of.h \
	libfmt/prim/point_tri.h \
	libfmt/prim/point_tri4.h \
	libfmt/prim/points.h \
	libfmt/prim/pose.h \
	libfmt/prim/ray_crossing.h \
	libfmt/prim/region_of.h \
	libfmt/prim/rss_dist.h \
	libfmt/prim/tri_ball.h \
	libfmt/prim/tri_box.h \
	libfmt/prim/tri_cross.h \
	libfmt/prim/tri_dist.h \
	libfmt/prim/tri_dist_exact.h \
	libfmt/prim/tri_near_box.h \
	libfmt/prim/tri_ray.h \
	libfmt/prim/tri_tri.h \
	libfmt/prim/tri_tri_exact.h \
	libfmt/prim/tri_tri_filter.h \
	libfmt/prim/vec.h \
	libfmt/prim/vec_of.h \
	libfmt/prim/words.h
