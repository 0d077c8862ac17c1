/* SPDX-License-Identifier: MIT
 * resource.h: see windows_case.h. */
