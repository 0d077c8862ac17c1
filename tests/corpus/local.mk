# SPDX-License-Identifier: MIT
SCRIPT_TESTS += \
	tests/corpus/check_bad_models.sh \
	tests/corpus/check_example.sh \
	tests/corpus/check_second_writer.sh \
	tests/corpus/check_slow_reader.sh \
	tests/corpus/check_texts.sh
