# SPDX-License-Identifier: MIT
noinst_HEADERS += \
	tests/fuzz/mutate.h \
	tests/fuzz/verb_case.h
