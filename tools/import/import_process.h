/* SPDX-License-Identifier: MIT
 * import_process.h: importers that are separate programs, so that a crash of a library ends only
 * that program.
 */
#ifndef IMPORT_PROCESS_H
#define IMPORT_PROCESS_H

#include "model/import.h"

/* What surfaces are cut into triangles by, unless import_options say otherwise. */
#define IMPORT_CHORD 0.1 /* mm */
#define IMPORT_ANGLE 20. /* degrees */

/* By bvpack-step, with OpenCASCADE. */
bvp_status import_step(importer *im);
bvp_status import_iges(importer *im);
/* By bvpack-ifc, with web-ifc under node where these are found, else by bvpack-assimp with a
 * warning. */
bvp_status import_ifc(importer *im);
/* By bvpack-3mf, with lib3mf. */
bvp_status import_3mf(importer *im);
/* By bvpack-assimp; the format is im->format. */
bvp_status import_assimp(importer *im);
/* By bvpack-draco, with Draco: im's bytes are a list of streams, import_draco.h. */
bvp_status import_draco(importer *im);

#endif
