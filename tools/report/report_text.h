/* SPDX-License-Identifier: MIT
 * report_text.h: descriptions of a report's row in words, and names with everything harmful
 * escaped.
 */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include "report/clash_report.h"

/* A name as XML text: characters that mean something are escaped, those that XML does not know are
 * U+FFFD. */
void report_xml(FILE *out, const char *text);
/* What a side is called: its name, else its part number, else the end of its path. */
const char *report_name(const clash_side *side);
/* The end of a file's path. */
const char *report_base(const char *path);
/* "4.2 mm deep", "1.5 mm apart" ...: the pair's number with its unit, "" when there is none. */
const char *report_measure(const clash_run *run, const bvp_clash_pair *pair, char buffer[64]);

#endif
