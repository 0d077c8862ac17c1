# SPDX-License-Identifier: MIT
SCRIPT_TESTS += \
	tests/cpp/check_cpp.sh
