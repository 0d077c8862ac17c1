# SPDX-License-Identifier: MIT
PROPERTY_SUITES += \
	tests/property/test_binary.c \
	tests/property/test_binary_oriented.c \
	tests/property/test_binary_pairs.c \
	tests/property/test_binary_single.c \
	tests/property/test_builder.c \
	tests/property/test_clash.c \
	tests/property/test_clash_cracks.c \
	tests/property/test_clash_flush.c \
	tests/property/test_clash_same.c \
	tests/property/test_clash_sweep.c \
	tests/property/test_clash_verdict.c \
	tests/property/test_closest.c \
	tests/property/test_coincident.c \
	tests/property/test_control.c \
	tests/property/test_convex.c \
	tests/property/test_copy.c \
	tests/property/test_damage.c \
	tests/property/test_digest.c \
	tests/property/test_far_answers.c \
	tests/property/test_far_bodies.c \
	tests/property/test_far_files.c \
	tests/property/test_far_instances.c \
	tests/property/test_far_placements.c \
	tests/property/test_far_scenes.c \
	tests/property/test_filter.c \
	tests/property/test_forged.c \
	tests/property/test_hard_pairs.c \
	tests/property/test_identity.c \
	tests/property/test_isa.c \
	tests/property/test_lazy.c \
	tests/property/test_overlap.c \
	tests/property/test_packed.c \
	tests/property/test_pair_counts.c \
	tests/property/test_pairs.c \
	tests/property/test_part_caches.c \
	tests/property/test_race.c \
	tests/property/test_ray.c \
	tests/property/test_ray_counts.c \
	tests/property/test_ray_packet.c \
	tests/property/test_ray_tree.c \
	tests/property/test_refit.c \
	tests/property/test_refit_top.c \
	tests/property/test_shuffled.c \
	tests/property/test_strays.c \
	tests/property/test_threads.c \
	tests/property/test_ties.c \
	tests/property/test_triangles.c \
	tests/property/test_turned.c \
	tests/property/test_verify.c \
	tests/property/test_warm.c
PROPERTY_GMP_SUITES += \
	tests/property/test_clash_slack.c \
	tests/property/test_clash_brute.c \
	tests/property/test_instances.c \
	tests/property/test_range.c
