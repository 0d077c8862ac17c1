/* SPDX-License-Identifier: MIT
 * issue_date.c: dates of events.
 * Based on: Howard Hinnant, chrono-Compatible Low-Level Date Algorithms, 2013 (days of a date)
 */
#include "issues/issue_date.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { YEAR_FIRST = 1900, YEAR_LAST = 9999, DAY = 86400 };

/* Days since 1970-01-01 in the proleptic Gregorian calendar. */
static int64_t days_of(int year, int month, int day)
{
    const int y = year - (month <= 2);
    const int era = y / 400, of_era = y % 400; /* years are positive here */
    const int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return (int64_t)era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

int issue_date_of(int64_t seconds, char out[ISSUE_DATE_SIZE])
{
    const int64_t least = days_of(YEAR_FIRST, 1, 1) * DAY;
    const int64_t most = days_of(YEAR_LAST, 12, 31) * DAY + DAY - 1;
    if (seconds < least || seconds > most)
        return -1;
    const int64_t z = (seconds - least) / DAY + days_of(YEAR_FIRST, 1, 1) + 719468;
    const int of_day = (int)((seconds - least) % DAY);
    const int era = (int)(z / 146097), of_era = (int)(z % 146097);
    const int years = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int of_year = of_era - (365 * years + years / 4 - years / 100);
    const int m = (5 * of_year + 2) / 153, day = of_year - (153 * m + 2) / 5 + 1;
    const int month = m < 10 ? m + 3 : m - 9, year = years + era * 400 + (month <= 2);
    char text[64];
    snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02dZ", year, month, day, of_day / 3600,
             of_day / 60 % 60, of_day % 60);
    memcpy(out, text, ISSUE_DATE_SIZE);
    return 0;
}

/* Takes exactly `digits` digits. */
static int take(const char **at, int digits, int least, int most, int *out)
{
    int value = 0;
    for (int i = 0; i < digits; i++) {
        if ((*at)[i] < '0' || (*at)[i] > '9')
            return 0;
        value = 10 * value + ((*at)[i] - '0');
    }
    *at += digits;
    *out = value;
    return value >= least && value <= most;
}

static int take_char(const char **at, char c)
{
    return **at == c ? (*at)++, 1 : 0;
}

static int take_day(const char **at, int *year, int *month, int *day)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (!take(at, 4, YEAR_FIRST, YEAR_LAST, year) || !take_char(at, '-') ||
        !take(at, 2, 1, 12, month) || !take_char(at, '-') || !take(at, 2, 1, 31, day))
        return 0;
    const int is_leap = (*year % 4 == 0 && *year % 100 != 0) || *year % 400 == 0;
    return *day <= lengths[*month - 1] + (*month == 2 && is_leap);
}

/* hh:mm, perhaps with seconds and fractions; a leap second is the one before. */
static int take_time(const char **at, int *seconds)
{
    int hour, minute, second = 0;
    if (!take(at, 2, 0, 24, &hour) || !take_char(at, ':') || !take(at, 2, 0, 59, &minute))
        return 0;
    if (take_char(at, ':') && !take(at, 2, 0, 60, &second))
        return 0;
    if (take_char(at, '.') || take_char(at, ',')) {
        const size_t digits = strspn(*at, "0123456789");
        *at += digits;
        if (digits == 0)
            return 0;
    }
    *seconds = hour * 3600 + minute * 60 + (second < 60 ? second : 59);
    return *seconds <= DAY;
}

static int take_zone(const char **at, int *seconds)
{
    int hour, minute = 0;
    *seconds = 0;
    if (**at == '\0' || take_char(at, 'Z') || take_char(at, 'z'))
        return 1;
    const int sign = **at == '-' ? -1 : 1;
    if (!take_char(at, '+') && !take_char(at, '-'))
        return 0;
    if (!take(at, 2, 0, 14, &hour) || ((void)take_char(at, ':'), !take(at, 2, 0, 59, &minute)))
        return 0;
    *seconds = sign * (hour * 3600 + minute * 60);
    return 1;
}

static int read_date(const char *text, int64_t *out)
{
    int year, month, day, seconds = 0, zone = 0;
    const char *at = text;
    if (!take_day(&at, &year, &month, &day))
        return 0;
    if (*at != '\0' && !((take_char(&at, 'T') || take_char(&at, 't') || take_char(&at, ' ')) &&
                         take_time(&at, &seconds) && take_zone(&at, &zone)))
        return 0;
    *out = days_of(year, month, day) * DAY + seconds - zone;
    return *at == '\0';
}

int issue_date_read(const char *text, char out[ISSUE_DATE_SIZE])
{
    int64_t seconds;
    return read_date(text, &seconds) ? issue_date_of(seconds, out) : -1;
}

int issue_date_is_plain(const char *text)
{
    char again[ISSUE_DATE_SIZE];
    return issue_date_read(text, again) == 0 && strcmp(text, again) == 0;
}

void issue_date_add(char date[ISSUE_DATE_SIZE], int64_t seconds)
{
    int64_t value;
    if (read_date(date, &value))
        issue_date_of(value + seconds, date);
}

void issue_date_now(char out[ISSUE_DATE_SIZE])
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    const int64_t when = epoch && epoch[0] ? strtoll(epoch, NULL, 10) : (int64_t)time(NULL);
    if (issue_date_of(when, out) != 0)
        issue_date_of(0, out);
}
