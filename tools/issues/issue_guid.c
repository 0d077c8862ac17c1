/* SPDX-License-Identifier: MIT
 * issue_guid.c: identifiers that BIM tools know topics, viewpoints and comments by.
 * Spec: RFC 9562, version 8
 */
#include "issues/issue_guid.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "bvpack.h"

void issue_guid_make(const char *text, const char *purpose, char out[ISSUE_GUID_SIZE])
{
    uint8_t both[2][16], h[16];
    bvp_hash(text, strlen(text), both[0]);
    bvp_hash(purpose, strlen(purpose), both[1]);
    bvp_hash(both, sizeof both, h);
    h[6] = (uint8_t)(0x80 | (h[6] & 15));
    h[8] = (uint8_t)(0x80 | (h[8] & 63));
    snprintf(out, ISSUE_GUID_SIZE,
             "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", h[0], h[1],
             h[2], h[3], h[4], h[5], h[6], h[7], h[8], h[9], h[10], h[11], h[12], h[13], h[14],
             h[15]);
}

int issue_guid_read(const char *text, char out[ISSUE_GUID_SIZE])
{
    static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    const size_t size = sizeof form - 1, given = strlen(text);
    const int is_braced = given == size + 2 && text[0] == '{' && text[size + 1] == '}';
    text += is_braced;
    if (given != size && !is_braced)
        return -1;
    for (size_t i = 0; i < size; i++) {
        const char c = text[i];
        const int is_digit =
            (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        if (form[i] == '-' ? c != '-' : !is_digit)
            return -1;
        out[i] = (char)(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
    }
    out[size] = '\0';
    return 0;
}
