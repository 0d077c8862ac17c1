# SPDX-License-Identifier: MIT
SCRIPT_TESTS += tests/python/test_python.sh
PYTHON_FILES += \
	tests/python/cases_contents.py \
	tests/python/cases_errors.py \
	tests/python/cases_pack.py \
	tests/python/cases_queries.py \
	tests/python/models.py \
	tests/python/run_cases.py
