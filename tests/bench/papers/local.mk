# SPDX-License-Identifier: MIT
noinst_HEADERS += \
	tests/bench/papers/base_leaf.h \
	tests/bench/papers/base_tree.h \
	tests/bench/papers/base_walk.h \
	tests/bench/papers/boxtree_parts.h \
	tests/bench/papers/fcl_tree.h \
	tests/bench/papers/measure.h \
	tests/bench/papers/mebvh_parts.h \
	tests/bench/papers/obbtree_parts.h \
	tests/bench/papers/ops.h \
	tests/bench/papers/papers_build.h \
	tests/bench/papers/papers_refit.h \
	tests/bench/papers/papers_suite.h \
	tests/bench/papers/papers_volumes.h \
	tests/bench/papers/plot.h \
	tests/bench/papers/scenes.h \
	tests/bench/papers/table.h
SCRIPT_TESTS += \
	tests/bench/papers/check_papers.sh
