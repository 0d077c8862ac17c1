# SPDX-License-Identifier: MIT
SCRIPT_TESTS += \
	tests/corpus/check_bad_models.sh \
	tests/corpus/check_example.sh \
	tests/corpus/check_second_writer.sh \
	tests/corpus/check_slow_reader.sh \
	tests/corpus/check_texts.sh
tests_corpus_slow_reader_SOURCES = \
	tests/corpus/slow_reader.c \
	tests/corpus/slow/slow_binary.c \
	tests/corpus/slow/slow_binary.h \
	tests/corpus/slow/slow_file.c \
	tests/corpus/slow/slow_file.h \
	tests/corpus/slow/slow_parts.c \
	tests/corpus/slow/slow_parts.h \
	tests/corpus/slow/slow_rays.c \
	tests/corpus/slow/slow_rays.h \
	tests/corpus/slow/slow_scene.c \
	tests/corpus/slow/slow_scene.h \
	tests/corpus/slow/slow_triangles.c \
	tests/corpus/slow/slow_triangles.h \
	tests/corpus/slow/slow_wide.c \
	tests/corpus/slow/slow_wide.h
