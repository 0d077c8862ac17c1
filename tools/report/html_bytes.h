/* SPDX-License-Identifier: MIT
 * html_bytes.h: the files of tools/html in the program, as its build embeds them.
 */
#ifndef HTML_BYTES_H
#define HTML_BYTES_H

#include <stddef.h>

extern const unsigned char html_head[], html_page[], html_view[];
extern const size_t html_head_size, html_page_size, html_view_size; /* view: 0 without three.js */

#endif
