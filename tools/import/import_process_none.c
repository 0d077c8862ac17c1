/* SPDX-License-Identifier: MIT
 * import_process_none.c: says on Windows that formats which confined programs read cannot be read
 * there. Nothing on Windows confines a program as import_confine.c does, so none is started.
 */
#include "import/import_process.h"

#define ON_LINUX                                                                                   \
    "are read by a confined program, which there is on Linux only; pack the model there, or "

static bvp_status refuse(importer *im, const char *models, const char *instead)
{
    return import_refuse(im, BVP_ERR_ARGUMENT, "%s " ON_LINUX "%s", models, instead);
}

bvp_status import_step(importer *im)
{
    return refuse(im, "STEP models", "convert the model to glTF");
}

bvp_status import_iges(importer *im)
{
    return refuse(im, "IGES models", "convert the model to glTF");
}

bvp_status import_ifc(importer *im)
{
    return refuse(im, "IFC models", "convert the model to glTF");
}

bvp_status import_3mf(importer *im)
{
    return refuse(im, "3MF models", "convert the model to glTF");
}

bvp_status import_assimp(importer *im)
{
    return refuse(im, "such models", "convert the model to glTF");
}

bvp_status import_draco(importer *im)
{
    return refuse(im, "glTF models that are compressed with Draco",
                  "export the model without compression");
}
