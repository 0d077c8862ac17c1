# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/rvm/import_rvm.c \
	tools/rvm/rvm_attributes.c \
	tools/rvm/rvm_facets.c \
	tools/rvm/rvm_parts.c \
	tools/rvm/rvm_shell.c \
	tools/rvm/rvm_solids.c \
	tools/rvm/rvm_turn.c
noinst_HEADERS += \
	tools/rvm/rvm.h \
	tools/rvm/rvm_shell.h \
	tools/rvm/rvm_turn.h
