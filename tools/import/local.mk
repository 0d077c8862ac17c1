# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/import/crew.c \
	tools/import/import_obj.c \
	tools/import/import_off.c \
	tools/import/import_ply.c \
	tools/import/import_stl.c \
	tools/import/import_strays.c \
	tools/import/model.c \
	tools/import/obj_materials.c \
	tools/import/records.c
if WINDOWS
TOOL_SOURCES += tools/import/import_process_none.c
else
TOOL_SOURCES += \
	tools/import/import_process.c \
	tools/import/import_stream.c
endif
noinst_HEADERS += \
	tools/import/crew.h \
	tools/import/import_draco.h \
	tools/import/import_process.h \
	tools/import/import_protocol.h \
	tools/import/import_stream.h \
	tools/import/obj_materials.h \
	tools/import/records.h
