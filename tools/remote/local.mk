# SPDX-License-Identifier: MIT
if WINDOWS
TOOL_SOURCES += tools/remote/remote_source_none.c
else
TOOL_SOURCES += \
	tools/remote/remote_cache.c \
	tools/remote/remote_source.c
endif
noinst_HEADERS += \
	tools/remote/remote_cache.h \
	tools/remote/remote_protocol.h \
	tools/remote/remote_source.h
