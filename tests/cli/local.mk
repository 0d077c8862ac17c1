# SPDX-License-Identifier: MIT
SCRIPT_TESTS += \
	tests/cli/check_refit.sh \
	tests/cli/check_samples.sh \
	tests/cli/test_attach.sh \
	tests/cli/test_clash.sh \
	tests/cli/test_clash_issues.sh \
	tests/cli/test_clash_nights.sh \
	tests/cli/test_clash_scenes.sh \
	tests/cli/test_clash_zones.sh \
	tests/cli/test_cli.sh \
	tests/cli/test_compress.sh \
	tests/cli/test_colours.sh \
	tests/cli/test_damaged_files.sh \
	tests/cli/test_diff.sh \
	tests/cli/test_ending.sh \
	tests/cli/test_hostile_names.sh \
	tests/cli/test_hull_files.sh \
	tests/cli/test_import_assimp.sh \
	tests/cli/test_import_ifc.sh \
	tests/cli/test_import_limits.sh \
	tests/cli/test_import_rvm.sh \
	tests/cli/test_import_step.sh \
	tests/cli/test_issues.sh \
	tests/cli/test_nightly.sh \
	tests/cli/test_other_encoder.sh \
	tests/cli/test_packed_gltf.sh \
	tests/cli/test_remote.sh \
	tests/cli/test_report_bcf.sh \
	tests/cli/test_report_html.sh \
	tests/cli/test_report_xlsx.sh \
	tests/cli/test_shard.sh \
	tests/cli/test_step_settle.sh \
	tests/cli/test_store.sh \
	tests/cli/test_strays.sh \
	tests/cli/test_suggest_noise.sh \
	tests/cli/test_units.sh \
	tests/cli/test_validator.sh
