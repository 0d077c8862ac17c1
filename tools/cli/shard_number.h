/* SPDX-License-Identifier: MIT
 * shard_number.h: which share of a job a machine does: as it is told, or as the queue that runs it
 * says.
 */
#ifndef SHARD_NUMBER_H
#define SHARD_NUMBER_H

#include <stddef.h>
#include <stdint.h>

enum { SHARD_MAX = 1000000 };

typedef struct shard_number {
    uint32_t index, count; /* 1 .. count; count 0: it is none */
} shard_number;

#define SHARD_VALUE "I/N|auto"
#define SHARD_HELP                                                                                 \
    "With --shard auto a task of a job array finds its share in its environment: in "              \
    "SLURM_ARRAY_TASK_ID, _MIN and _COUNT; LSB_JOBINDEX and LSB_JOBINDEX_END; or "                 \
    "JOB_COMPLETION_INDEX and JOB_COMPLETIONS. Kubernetes does not set the last one: the "         \
    "manifest "                                                                                    \
    "does, or --shard auto/N says it. Without --shard they mean nothing."

/* Of "i/n"; 0, or -1 when the text is something else. */
int shard_parse(const char *text, size_t size, shard_number *out);

/* What --shard says: "i/n"; or "auto", the place in an array of Slurm or LSF, or of an indexed job
 * of Kubernetes, which the environment tells: SLURM_ARRAY_TASK_ID with _MIN, _COUNT and _STEP;
 * LSB_JOBINDEX with _END and _STEP; JOB_COMPLETION_INDEX with JOB_COMPLETIONS. "auto/N": and there
 * must be N. 0, or says what is wrong and returns the exit code. */
int shard_read(const char *text, shard_number *out);

/* Every share of a clash run begins with this, after the head of its first record. */
#define CLASH_SHARE_MAGIC "bvpack clash share\n"
enum { CLASH_SHARE_MAGIC_AT = 24 };
/* Is it such a file? No, too, if it cannot be read. */
int clash_share_is(const char *path);

#endif
