/* SPDX-License-Identifier: MIT
 * slow_scene.h: the product tree and its instances.
 */
#ifndef SLOW_SCENE_H
#define SLOW_SCENE_H

void print_scene(void);

#endif
