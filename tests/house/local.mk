# SPDX-License-Identifier: MIT
SCRIPT_TESTS += \
	tests/house/check_decisions.sh \
	tests/house/check_determinism.sh \
	tests/house/check_exports.sh \
	tests/house/check_fields.sh \
	tests/house/check_fuzz.sh \
	tests/house/check_headers.sh \
	tests/house/check_ksy.sh \
	tests/house/check_layers.sh \
	tests/house/check_mutations.sh \
	tests/house/check_numbers.sh \
	tests/house/check_packaging.sh \
	tests/house/check_pictures.sh \
	tests/house/check_readme.sh \
	tests/house/check_rules.sh \
	tests/house/check_stack.sh \
	tests/house/check_style.sh \
	tests/house/check_versions.sh \
	tests/house/check_watched.sh
