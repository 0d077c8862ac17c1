# SPDX-License-Identifier: MIT
UNIT_TESTS += \
	tests/property/test_binary \
	tests/property/test_binary_oriented \
	tests/property/test_binary_pairs \
	tests/property/test_binary_single \
	tests/property/test_build_memory \
	tests/property/test_builder \
	tests/property/test_clash \
	tests/property/test_clash_cracks \
	tests/property/test_clash_flush \
	tests/property/test_clash_same \
	tests/property/test_clash_verdict \
	tests/property/test_closest \
	tests/property/test_control \
	tests/property/test_copy \
	tests/property/test_damage \
	tests/property/test_digest \
	tests/property/test_far_instances \
	tests/property/test_far_placements \
	tests/property/test_filter \
	tests/property/test_forged \
	tests/property/test_identity \
	tests/property/test_isa \
	tests/property/test_lazy \
	tests/property/test_overlap \
	tests/property/test_packed \
	tests/property/test_pair_counts \
	tests/property/test_pairs \
	tests/property/test_race \
	tests/property/test_ray \
	tests/property/test_ray_counts \
	tests/property/test_ray_packet \
	tests/property/test_refit \
	tests/property/test_refit_top \
	tests/property/test_strays \
	tests/property/test_threads \
	tests/property/test_ties \
	tests/property/test_triangles \
	tests/property/test_verify \
	tests/property/test_warm
GMP_TESTS += \
	tests/property/test_clash_slack \
	tests/property/test_clash_brute \
	tests/property/test_instances \
	tests/property/test_range
