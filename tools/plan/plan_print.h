/* SPDX-License-Identifier: MIT
 * plan_print.h: a plan for a scheduler: one command a line, or JSON.
 */
#ifndef PLAN_PRINT_H
#define PLAN_PRINT_H

#include "plan/plan_stages.h"

/* Comments that begin with "#" between commands: a shell script. With plan_settings.stage only that
 * stage's commands, without comments. 0, or -1 when memory is out. */
int plan_print(const plan_stages *p);
void plan_print_json(const plan_stages *p);

#endif
