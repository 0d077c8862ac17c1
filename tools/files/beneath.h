/* SPDX-License-Identifier: MIT
 * beneath.h: opens files that a model names, in the model's folder and below it only.
 */
#ifndef BENEATH_H
#define BENEATH_H

/* Opens folder/path for reading, without blocking. Symbolic links are followed as long as they stay
 * beneath the folder. Returns a descriptor, or -1 with errno: EXDEV: the path, or a link on its
 * way, leads out of the folder; EINVAL: it is not a regular file. */
int beneath_open(const char *folder, const char *path);
/* The same by steps of one component, for kernels without openat2(2). The slow twin of the above.
 */
int beneath_open_stepwise(const char *folder, const char *path);
/* Any path, wherever it leads; the rest as beneath_open. */
int beneath_open_any(const char *path);

#endif
