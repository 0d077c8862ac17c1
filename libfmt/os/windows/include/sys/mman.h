/* SPDX-License-Identifier: MIT
 * mman.h: see windows_posix.h. */
