# SPDX-License-Identifier: MIT
# in the libraries and, since they do not export it, once more in the program
PUBLISH_SOURCES = libfmt/publish/publish.c
if WINDOWS
PUBLISH_SOURCES += libfmt/publish/boot_identity_windows.c
else
PUBLISH_SOURCES += libfmt/publish/boot_identity.c
endif
CORE_SOURCES += $(PUBLISH_SOURCES)
TOOL_SOURCES += $(PUBLISH_SOURCES)
noinst_HEADERS += \
	libfmt/publish/boot_identity.h \
	libfmt/publish/publish.h
