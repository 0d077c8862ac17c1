# SPDX-License-Identifier: MIT
SCRIPT_TESTS += tests/python/test_python.sh
PYTHON_FILES += \
	samples/nearest.py \
	tests/python/bench_python.py \
	tests/python/bench_python_tables.py \
	tests/python/bench_twin.c \
	tests/python/bench_workers.py \
	tests/python/cases_contents.py \
	tests/python/cases_errors.py \
	tests/python/cases_fcl.py \
	tests/python/cases_pack.py \
	tests/python/cases_processes.py \
	tests/python/cases_queries.py \
	tests/python/cases_raycasting.py \
	tests/python/cases_trimesh.py \
	tests/python/check_python.sh \
	tests/python/models.py \
	tests/python/run_cases.py \
	tests/python/trimesh_tests.py \
	tests/python/worker_questions.py
