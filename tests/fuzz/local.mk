# SPDX-License-Identifier: MIT
noinst_HEADERS += \
	tests/fuzz/mutate.h \
	tests/fuzz/target.h \
	tests/fuzz/verb_case.h
FUZZ_SOURCES += \
	tests/fuzz/file_mutator.c \
	tests/fuzz/fuzz_build.c \
	tests/fuzz/fuzz_clash.c \
	tests/fuzz/fuzz_clash_inputs.c \
	tests/fuzz/fuzz_import.c \
	tests/fuzz/fuzz_open.c \
	tests/fuzz/fuzz_refit.c \
	tests/fuzz/fuzz_seekable.c \
	tests/fuzz/fuzz_store.c \
	tests/fuzz/fuzz_stream.c \
	tests/fuzz/fuzz_verbs.c \
	tests/fuzz/mutate.c \
	tests/fuzz/target.c
