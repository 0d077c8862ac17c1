# SPDX-License-Identifier: MIT
SCRIPT_TESTS += tests/farm/test_night.sh
