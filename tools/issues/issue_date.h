/* SPDX-License-Identifier: MIT
 * issue_date.h: dates of events: 2026-11-27T09:30:00Z, in which the order of texts is that of
 * times.
 */
#ifndef ISSUE_DATE_H
#define ISSUE_DATE_H

#include <stdint.h>

enum { ISSUE_DATE_SIZE = 21 }; /* with the zero */

/* Reads a date of ISO 8601 or XML Schema: a day, or a day and a time, perhaps with fractions of a
 * second, which are dropped, and a zone, else it is UTC. Years 1900 to 9999. 0, or -1. */
int issue_date_read(const char *text, char out[ISSUE_DATE_SIZE]);
/* Is the text one that issue_date_read writes? */
int issue_date_is_plain(const char *text);
/* Of seconds since 1970. 0, or -1. */
int issue_date_of(int64_t seconds, char out[ISSUE_DATE_SIZE]);
/* So many seconds behind a plain date; stays before the year 10000. */
void issue_date_add(char date[ISSUE_DATE_SIZE], int64_t seconds);
/* That of SOURCE_DATE_EPOCH, so that a build is reproducible, else the clock's. */
void issue_date_now(char out[ISSUE_DATE_SIZE]);

#endif
