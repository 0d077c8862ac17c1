# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/view/camera.c \
	tools/view/page.c \
	tools/view/palette.c \
	tools/view/picture_text.c \
	tools/view/png.c \
	tools/view/render.c \
	tools/view/section_raster.c \
	tools/view/verb_view.c \
	tools/view/volume_lines.c
noinst_HEADERS += \
	tools/view/camera.h \
	tools/view/image.h \
	tools/view/page.h \
	tools/view/palette.h \
	tools/view/picture_text.h \
	tools/view/render.h \
	tools/view/section_raster.h \
	tools/view/volume_lines.h
