# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/model/import.c \
	tools/model/name_table.c \
	tools/model/polygon.c \
	tools/model/polygon_join.c \
	tools/model/properties.c \
	tools/model/soup.c \
	tools/model/submodel.c \
	tools/model/surface.c \
	tools/model/transform.c \
	tools/model/triangle_sink.c
noinst_HEADERS += \
	tools/model/import.h \
	tools/model/model.h \
	tools/model/name_table.h \
	tools/model/polygon.h \
	tools/model/polygon_join.h \
	tools/model/properties.h \
	tools/model/quality_keys.h \
	tools/model/soup.h \
	tools/model/stray_names.h \
	tools/model/submodel.h \
	tools/model/surface.h \
	tools/model/transform.h \
	tools/model/triangle_sink.h
