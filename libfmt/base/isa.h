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

/* On x86 there are two copies of each kernel, unless configure --disable-dispatch asks for one, for
 * the processor that CFLAGS name. */
#if (defined(__x86_64__) || defined(__i386__)) && !defined(BVPI_ONE_ISA)
#define BVPI_DISPATCH
#endif

/* Which set a kernel is compiled for. */
#if defined(BVPI_DISPATCH) && defined(__AVX2__)
#define BVPI_ISA_NUMBER BVPI_ISA_AVX2
#else
#define BVPI_ISA_NUMBER BVPI_ISA_BASELINE
#endif

/* One of a constant's two copies. */
#ifdef BVPI_DISPATCH
#define BVPI_ISA_CHOOSE(name, isa) ((isa) == BVPI_ISA_AVX2 ? &name##_avx2 : &name##_base)
#else
#define BVPI_ISA_CHOOSE(name, isa) ((void)(isa), &name##_base)
#endif

/* The best that this machine has. */
static inline bvpi_isa bvpi_isa_of_cpu(void)
{
#ifdef BVPI_DISPATCH
    /* what configure.ac compiles kernels for: all processors with AVX2 have the others */
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
        return BVPI_ISA_AVX2;
#endif
    return BVPI_ISA_BASELINE;
}

#endif
