# SPDX-License-Identifier: MIT
noinst_HEADERS += \
	tests/support/own_process.h \
	tests/support/binary_cases.h \
	tests/support/body_cases.h \
	tests/support/build_case.h \
	tests/support/clash_brute.h \
	tests/support/clash_case.h \
	tests/support/clash_tree_case.h \
	tests/support/climb.h \
	tests/support/control_case.h \
	tests/support/count_scene.h \
	tests/support/exercise.h \
	tests/support/far_case.h \
	tests/support/flat_oracle.h \
	tests/support/flat_surface.h \
	tests/support/glb_case.h \
	tests/support/guarded.h \
	tests/support/hard_models.h \
	tests/support/import_case.h \
	tests/support/import_folder.h \
	tests/support/item_case.h \
	tests/support/nameless.h \
	tests/support/oracle.h \
	tests/support/outside_case.h \
	tests/support/oracle_gmp.h \
	tests/support/pair_counts.h \
	tests/support/prim_suite.h \
	tests/support/questions.h \
	tests/support/range_cases.h \
	tests/support/range_oracle.h \
	tests/support/range_scene.h \
	tests/support/ray_counts.h \
	tests/support/refit_case.h \
	tests/support/remove_tree.h \
	tests/support/remesh.h \
	tests/support/repair.h \
	tests/support/report_case.h \
	tests/support/rigid_places.h \
	tests/support/rvm_case.h \
	tests/support/solid_case.h \
	tests/support/source_case.h \
	tests/support/source_scene.h \
	tests/support/suite.h \
	tests/support/tiny_binary.h \
	tests/support/tiny_file.h \
	tests/support/tiny_open.h \
	tests/support/tri_cases.h \
	tests/support/zip_case.h \
	tests/support/zone_case.h
TEST_HELPERS += \
	tests/support/build_case.c \
	tests/support/exercise.c \
	tests/support/questions.c \
	tests/support/hard_models.c \
	tests/support/oracle.c \
	tests/support/outside_case.c
