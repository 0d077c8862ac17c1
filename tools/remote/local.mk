# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/remote/remote_cache.c \
	tools/remote/remote_source.c
noinst_HEADERS += \
	tools/remote/remote_cache.h \
	tools/remote/remote_protocol.h \
	tools/remote/remote_source.h
