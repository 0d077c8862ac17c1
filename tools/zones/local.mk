# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/zones/clash_places.c \
	tools/zones/clash_zones.c \
	tools/zones/clash_zones_read.c \
	tools/zones/zone_mesh.c
noinst_HEADERS += \
	tools/zones/clash_places.h \
	tools/zones/clash_zones.h \
	tools/zones/zone_mesh.h
