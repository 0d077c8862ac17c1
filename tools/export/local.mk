# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/export/export_bvh.c \
	tools/export/export_glb.c \
	tools/export/export_obj.c \
	tools/export/export_ply.c \
	tools/export/export_scene.c \
	tools/export/export_stl.c \
	tools/export/verb_extract.c
noinst_HEADERS += \
	tools/export/export.h \
	tools/export/export_scene.h
