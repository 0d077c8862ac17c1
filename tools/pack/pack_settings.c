/* SPDX-License-Identifier: MIT
 * pack_settings.c: the packing options that the output's bytes depend on, as JSON and back.
 */
#include "pack/pack_plan.h"

#include <math.h>
#include <string.h>

typedef struct setting {
    const char *name;
    enum { SETTING_TEXT, SETTING_COUNT, SETTING_NUMBER, SETTING_FLAG } kind;
    size_t offset;
} setting;

static const setting all[] = {
    {"unit", SETTING_TEXT, offsetof(pack_settings, unit)},
    {"up", SETTING_TEXT, offsetof(pack_settings, up)},
    {"format", SETTING_TEXT, offsetof(pack_settings, format)},
    {"hierarchy", SETTING_TEXT, offsetof(pack_settings, hierarchy)},
    {"split", SETTING_TEXT, offsetof(pack_settings, split)},
    {"fit", SETTING_TEXT, offsetof(pack_settings, fit)},
    {"offset_bits", SETTING_TEXT, offsetof(pack_settings, offset_bits)},
    {"chord", SETTING_TEXT, offsetof(pack_settings, chord)},
    {"urdf", SETTING_TEXT, offsetof(pack_settings, urdf)},
    {"joints", SETTING_TEXT, offsetof(pack_settings, joints)},
    {"angle", SETTING_NUMBER, offsetof(pack_settings, angle)},
    {"leaf", SETTING_COUNT, offsetof(pack_settings, leaf)},
    {"planes", SETTING_COUNT, offsetof(pack_settings, planes)},
    {"no_ids", SETTING_FLAG, offsetof(pack_settings, no_ids)},
    {"drop_invalid", SETTING_FLAG, offsetof(pack_settings, drop_invalid)},
    {"deformable", SETTING_FLAG, offsetof(pack_settings, deformable)},
    {"fast", SETTING_FLAG, offsetof(pack_settings, fast)},
    {"small", SETTING_FLAG, offsetof(pack_settings, small)},
    {"digests", SETTING_FLAG, offsetof(pack_settings, digests)},
    {"rays", SETTING_FLAG, offsetof(pack_settings, rays)},
    {"keep_strays", SETTING_FLAG, offsetof(pack_settings, keep_strays)},
    {"asset_numbers", SETTING_FLAG, offsetof(pack_settings, asset_numbers)},
    {"ifc_spaces", SETTING_FLAG, offsetof(pack_settings, ifc_spaces)},
    {"share", SETTING_FLAG, offsetof(pack_settings, share)},
};
enum { SETTINGS = sizeof all / sizeof all[0] };

void pack_settings_as_json(json *out, const char *key, const pack_settings *set)
{
    jsonw_object(out, key);
    for (int i = 0; i < SETTINGS; i++) {
        const void *at = (const char *)set + all[i].offset;
        if (all[i].kind == SETTING_TEXT)
            jsonw_text(out, all[i].name, *(const char *const *)at);
        else if (all[i].kind == SETTING_COUNT)
            jsonw_count(out, all[i].name, *(const uint64_t *)at);
        else if (all[i].kind == SETTING_NUMBER)
            jsonw_number(out, all[i].name, *(const double *)at);
        else
            jsonw_bool(out, all[i].name, *(const int *)at);
    }
    jsonw_end(out);
}

int pack_settings_from_json(const json_value *object, pack_settings *out)
{
    *out = (pack_settings){.quiet = 1};
    for (int i = 0; i < SETTINGS; i++) {
        const json_value *value = json_tree_get(object, all[i].name);
        void *at = (char *)out + all[i].offset;
        if (!value || (all[i].kind == SETTING_COUNT && !json_tree_count(value, at)) ||
            (all[i].kind == SETTING_NUMBER && !json_tree_number(value, at)))
            return -1;
        if (all[i].kind == SETTING_TEXT)
            *(const char **)at = json_tree_text(value);
        else if (all[i].kind == SETTING_FLAG)
            *(int *)at = json_tree_is_true(value);
    }
    /* what the option parser would have refused: a share may be forged */
    const int up_is_sound = !out->up || (strlen(out->up) == 1 && strchr("xyz", out->up[0]));
    return up_is_sound && out->leaf <= 8 && out->planes <= 3 && isfinite(out->angle) ? 0 : -1;
}
