/* SPDX-License-Identifier: MIT
 * isa.h: one kernel source, compiled once per instruction set; names get the set's suffix.
 */
#ifndef BVPI_BASE_ISA_H
#define BVPI_BASE_ISA_H

#define BVPI_PASTE_(a, b) a##_##b
#define BVPI_PASTE(a, b)  BVPI_PASTE_(a, b)
#ifdef BVPI_ISA
#define BVPI_ISA_NAME(x) BVPI_PASTE(x, BVPI_ISA)
#endif

/* What a file handle's queries run on; chosen once, when it is opened. */
typedef enum bvpi_isa { BVPI_ISA_BASELINE = 0, BVPI_ISA_AVX2 = 1 } bvpi_isa;

#endif
