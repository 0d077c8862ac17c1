# SPDX-License-Identifier: MIT
CORE_SOURCES += \
	libfmt/kinds/node/oriented_set.c \
	libfmt/kinds/node/show_volumes.c
noinst_HEADERS += \
	libfmt/kinds/node/any_volume.h \
	libfmt/kinds/node/boxtree_node.h \
	libfmt/kinds/node/oriented_node.h \
	libfmt/kinds/node/oriented_set.h
