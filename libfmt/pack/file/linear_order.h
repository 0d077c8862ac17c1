/* SPDX-License-Identifier: MIT
 * linear_order.h: the order of linear parts in LINS.
 * Spec: format.md, chapter "Linear parts"
 */
#ifndef BVPI_PACK_FILE_LINEAR_ORDER_H
#define BVPI_PACK_FILE_LINEAR_ORDER_H

#include "format/layout.h"
#include "pack/file/tables.h"

/* Puts linear parts, as words, in order, and sets the references of `count` instances, which are in
 * the order of the file. Linear parts that no instance has are left out. */
bvp_status bvpi_order_linears(bvpi_array *linears, bvpd_instance *instances, uint32_t count,
                              bvp_error *error);

#endif
