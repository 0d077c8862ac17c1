# SPDX-License-Identifier: MIT
LIBBVPACK_SOURCES += \
	libfmt/clash/apart.c \
	libfmt/clash/clash_all.c \
	libfmt/clash/clash_scene.c \
	libfmt/clash/contact.c \
	libfmt/clash/contacts.c \
	libfmt/clash/depth.c \
	libfmt/clash/enclosed.c \
	libfmt/clash/hull_depth.c \
	libfmt/clash/hull_bounds.c \
	libfmt/clash/inner_box.c \
	libfmt/clash/inside.c \
	libfmt/clash/judge.c \
	libfmt/clash/known_apart.c \
	libfmt/clash/move_cover.c \
	libfmt/clash/move_search.c \
	libfmt/clash/moving_pair.c \
	libfmt/clash/order.c \
	libfmt/clash/pair_limits.c \
	libfmt/clash/part_cache.c \
	libfmt/clash/penetration.c \
	libfmt/clash/pieces.c \
	libfmt/clash/same.c \
	libfmt/clash/seams.c \
	libfmt/clash/shares.c \
	libfmt/clash/sweep.c \
	libfmt/clash/sweep_clear.c \
	libfmt/clash/touch_gap.c \
	libfmt/clash/touch_points.c \
	libfmt/clash/verdict.c \
	libfmt/clash/winding.c \
	libfmt/clash/zone_shape.c \
	libfmt/clash/zone_verdict.c \
	libfmt/clash/zones.c
noinst_HEADERS += \
	libfmt/clash/apart.h \
	libfmt/clash/clash_scene.h \
	libfmt/clash/contact.h \
	libfmt/clash/contacts.h \
	libfmt/clash/hull_depth.h \
	libfmt/clash/inner_box.h \
	libfmt/clash/judge.h \
	libfmt/clash/known_apart.h \
	libfmt/clash/move_cover.h \
	libfmt/clash/moving_pair.h \
	libfmt/clash/order.h \
	libfmt/clash/pair_limits.h \
	libfmt/clash/part_cache.h \
	libfmt/clash/penetration.h \
	libfmt/clash/pieces.h \
	libfmt/clash/seams.h \
	libfmt/clash/shares.h \
	libfmt/clash/sweep.h \
	libfmt/clash/zone_shape.h \
	libfmt/clash/zone_verdict.h \
	libfmt/clash/zones.h
