# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/gltf/accessor.c \
	tools/gltf/gltf_accessors.c \
	tools/gltf/gltf_buffers.c \
	tools/gltf/gltf_document.c \
	tools/gltf/gltf_draco.c \
	tools/gltf/gltf_instancing.c \
	tools/gltf/gltf_materials.c \
	tools/gltf/gltf_meshes.c \
	tools/gltf/gltf_nodes.c \
	tools/gltf/gltf_placement.c \
	tools/gltf/gltf_skins.c \
	tools/gltf/gltf_views.c \
	tools/gltf/import_gltf.c
noinst_HEADERS += \
	tools/gltf/accessor.h \
	tools/gltf/gltf_accessors.h \
	tools/gltf/gltf_buffers.h \
	tools/gltf/gltf_document.h \
	tools/gltf/gltf_draco.h \
	tools/gltf/gltf_instancing.h \
	tools/gltf/gltf_materials.h \
	tools/gltf/gltf_meshes.h \
	tools/gltf/gltf_nodes.h \
	tools/gltf/gltf_placement.h \
	tools/gltf/gltf_skins.h \
	tools/gltf/gltf_views.h
