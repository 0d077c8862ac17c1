/* SPDX-License-Identifier: MIT
 * page.h: the viewer, a page for browsers, that opens a packed file by ranges.
 */
#ifndef PAGE_H
#define PAGE_H

/* Writes the page to `out`; it names the model, a file or a URL, and the clash report, or NULL,
 * relative to itself. Returns 0, or says what is wrong and returns the exit code; so when this
 * program has no viewer. */
int page_write(const char *out, const char *model, const char *report);

#endif
