# SPDX-License-Identifier: MIT
TOOL_SOURCES += \
	tools/report/clash_report.c \
	tools/report/clash_rows.c \
	tools/report/clash_severity.c \
	tools/report/report_columns.c \
	tools/report/report_csv.c \
	tools/report/report_glb.c \
	tools/report/report_html.c \
	tools/report/report_jsonl.c \
	tools/report/report_mesh.c \
	tools/report/report_pictures.c \
	tools/report/report_snapshot.c \
	tools/report/report_text.c \
	tools/report/report_view.c \
	tools/report/report_xlsx.c
noinst_HEADERS += \
	tools/report/clash_outputs.h \
	tools/report/clash_report.h \
	tools/report/clash_rows.h \
	tools/report/clash_severity.h \
	tools/report/html_bytes.h \
	tools/report/report_columns.h \
	tools/report/report_mesh.h \
	tools/report/report_pictures.h \
	tools/report/report_snapshot.h \
	tools/report/report_text.h \
	tools/report/report_view.h
