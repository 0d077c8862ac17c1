/* SPDX-License-Identifier: MIT
 * bcf_xml.h: elements of the XML in a BCF archive, and which of its versions that is.
 */
#ifndef BCF_XML_H
#define BCF_XML_H

#include <stdio.h>

typedef enum bcf_version { BCF_2_1, BCF_3_0 } bcf_version;

extern const char bcf_declaration[];

/* <name>text</name>, the text escaped. */
void bcf_element(FILE *out, const char *name, const char *text);
/* With X, Y and Z. */
void bcf_vector(FILE *out, const char *name, const double v[3]);

#endif
