/* SPDX-License-Identifier: MIT
 * file.h: see windows_posix.h. */
