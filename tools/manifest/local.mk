# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/manifest/import_manifest.c \
	tools/manifest/manifest.c \
	tools/manifest/manifest_tree.c
noinst_HEADERS += \
	tools/manifest/manifest.h \
	tools/manifest/manifest_tree.h
