# SPDX-License-Identifier: MIT
SCRIPT_TESTS += \
	tests/web/test_report_page.sh
LONG_TESTS += \
	tests/web/test_viewer.sh \
	tests/web/test_web.sh
WEB_TEST_FILES = \
	tests/web/bench.mjs \
	tests/web/browser.mjs \
	tests/web/check_three_mesh_bvh.mjs \
	tests/web/clash_tab.html \
	tests/web/clash_tab.mjs \
	tests/web/clash_tab.sh \
	tests/web/hints.mjs \
	tests/web/hostile.mjs \
	tests/web/launch.mjs \
	tests/web/outside.mjs \
	tests/web/page.html \
	tests/web/page.mjs \
	tests/web/replay.mjs \
	tests/web/report.mjs \
	tests/web/report_page.mjs \
	tests/web/sample.mjs \
	tests/web/vast.mjs \
	tests/web/tables.mjs \
	tests/web/three.mjs \
	tests/web/viewer.mjs \
	tests/web/viewer_rows.mjs \
	tests/web/viewer_rows.sh \
	tests/web/windows.mjs
