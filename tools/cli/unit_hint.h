/* SPDX-License-Identifier: MIT
 * unit_hint.h: does a file's unit look wrong?
 */
#ifndef UNIT_HINT_H
#define UNIT_HINT_H

#include "bvpack.h"

enum { UNIT_HINT_MAX = 256 };

/* Many exporters write millimetres and say metres, or the reverse: then half of the things in the
 * file are longer than a ship's plate, or the whole is smaller than a pin's head. Writes what to do
 * about it; nothing is wrong, or nobody can tell: "". Looks at up to 65,536 instances. */
void unit_hint(const bvp_file *file, char text[UNIT_HINT_MAX]);

#endif
