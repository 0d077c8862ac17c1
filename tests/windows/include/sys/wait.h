/* SPDX-License-Identifier: MIT
 * wait.h: see windows_case.h. */
