/* SPDX-License-Identifier: MIT
 * hierarchy_order.h: the order of the parts' hierarchies in HIER.
 * Spec: format.md, chapter "Hierarchies"
 */
#ifndef BVPI_PACK_FILE_HIERARCHY_ORDER_H
#define BVPI_PACK_FILE_HIERARCHY_ORDER_H

#include "pack/file/finish.h"

/* Puts the hierarchies of the parts with most instances last, and sets the parts' references. The
 * parts' records are made, the hierarchies stand in the parts' order. instances: `count` of the
 * file; parts that do not exist are passed over. */
bvp_status bvpi_order_hierarchies(bvpi_finishing *f, const bvpd_instance *instances, uint64_t count,
                                  bvp_error *error);

#endif
