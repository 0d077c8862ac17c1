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

typedef enum bvpi_isa { BVPI_ISA_BASELINE = 0, BVPI_ISA_AVX2 = 1 } bvpi_isa;

/* Which set a kernel is compiled for. */
#ifdef __AVX2__
#define BVPI_ISA_NUMBER BVPI_ISA_AVX2
#else
#define BVPI_ISA_NUMBER BVPI_ISA_BASELINE
#endif

/* One of a constant's two copies. */
#if defined(__x86_64__) || defined(__i386__)
#define BVPI_ISA_CHOOSE(name, isa) ((isa) == BVPI_ISA_AVX2 ? &name##_avx2 : &name##_base)
#else
#define BVPI_ISA_CHOOSE(name, isa) ((void)(isa), &name##_base)
#endif

/* The best that this machine has. */
static inline bvpi_isa bvpi_isa_of_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return BVPI_ISA_AVX2;
#endif
    return BVPI_ISA_BASELINE;
}

#endif
