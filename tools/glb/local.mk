# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/glb/glb.c \
	tools/glb/gltf_write.c
noinst_HEADERS += \
	tools/glb/glb.h \
	tools/glb/gltf_write.h
