/* SPDX-License-Identifier: MIT
 * quality_keys.h: what an importer knows of a mesh's quality, as properties of its nodes.
 */
#ifndef QUALITY_KEYS_H
#define QUALITY_KEYS_H

/* How far the mesh may be from the surfaces that it stands for, in units of the file; 0: it is
 * exact but for rounding. */
#define TOLERANCE_KEY     "bvpack_tolerance"
/* How many faces of the source are not in the mesh. */
#define MISSING_FACES_KEY "bvpack_missing_faces"

#endif
