/* SPDX-License-Identifier: MIT
 * crew.h: work that is cut into tasks, done by several threads.
 */
#ifndef CREW_H
#define CREW_H

#include <stdint.h>

/* How many threads an option of 0, for one a processor, or more means. */
uint32_t crew_size(uint32_t thread_count);
/* Does every task once, the caller too, in no order; fewer threads where the system grants fewer.
 */
void crew_run(uint32_t threads, uint32_t tasks, void (*work)(void *user, uint32_t task),
              void *user);

#endif
