/* SPDX-License-Identifier: MIT
 * timeout.h: --timeout, which every verb has.
 */
#ifndef TIMEOUT_H
#define TIMEOUT_H

#include <signal.h>

/* Call it first: the time counts from here. */
void timeout_begin(void);
/* From now on the program ends when `seconds` (> 0) have passed since it began, whatever it does:
 * with a message, EXIT_STOPPED and no output under its name. */
void timeout_set(double seconds);
/* For a verb that can end in an orderly way: when the time is up, *flag becomes 1 instead, and the
 * verb must end. The flag stays valid until the program ends. */
void timeout_ask(volatile sig_atomic_t *flag);

#endif
