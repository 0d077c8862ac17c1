/* SPDX-License-Identifier: MIT
 * issue_guid.h: identifiers that BIM tools know topics, viewpoints and comments by.
 */
#ifndef ISSUE_GUID_H
#define ISSUE_GUID_H

enum { ISSUE_GUID_SIZE = 37 }; /* with the zero */

/* Of a text and what it is for: the same in every run. RFC 9562, version 8. */
void issue_guid_make(const char *text, const char *purpose, char out[ISSUE_GUID_SIZE]);
/* The same in lower case, if the text is one; 0, or -1. */
int issue_guid_read(const char *text, char out[ISSUE_GUID_SIZE]);

#endif
