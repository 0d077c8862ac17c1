# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/urdf/import_urdf.c \
	tools/urdf/urdf_joints.c \
	tools/urdf/urdf_shapes.c \
	tools/urdf/urdf_solids.c
noinst_HEADERS += \
	tools/urdf/urdf.h
