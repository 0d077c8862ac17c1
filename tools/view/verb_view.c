/* SPDX-License-Identifier: MIT
 * verb_view.c: the verb view: a picture of a packed model.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "bvpack.h"
#include "view/camera.h"
#include "view/image.h"
#include "text/keyword.h"
#include "text/array.h"
#include "text/message.h"
#include "cli/operand.h"
#include "cli/options.h"
#include "view/page.h"
#include "files/output.h"
#include "view/palette.h"
#include "cli/progress.h"
#include "view/render.h"
#include "view/volume_lines.h"

typedef struct settings {
    const char *output, *report, *size, *camera, *target, *colour, *part, *place, *kind;
    double angle;
    uint64_t level, samples, occlusion, jobs;
    int quiet;
} settings;

enum { LEVEL_NONE = 1000, SIDE_MOST = 16384, FIT_LEVEL = 4, FIT_INSTANCES = 20000 };

typedef struct view {
    const settings *set;
    operand model;
    uint32_t width, height;
    camera eye;
    palette colours;
    double to_world[12]; /* of the volumes that are read */
    double *corners;     /* of the boxes around them that the camera is to see, 3 doubles each */
    size_t corner_count, corner_capacity;
    render_line *lines;
    size_t line_count, line_capacity;
    double size; /* diagonal of what is seen */
    int is_out_of_memory;
} view;

/* ---- volumes --------------------------------------------------------------------------------- */

static void to_world(const view *v, const double p[3], double out[3])
{
    const double *m = v->to_world;
    for (int a = 0; a < 3; a++)
        out[a] = m[4 * a] * p[0] + m[4 * a + 1] * p[1] + m[4 * a + 2] * p[2] + m[4 * a + 3];
}

static int add_corners(void *user, const bvp_volume *volume)
{
    view *v = user;
    if (array_grow(&v->corners, &v->corner_capacity, v->corner_count + 8, 3 * sizeof(double)) !=
        0) {
        v->is_out_of_memory = 1;
        return 1;
    }
    for (int i = 0; i < 8; i++) {
        double corner[3];
        volume_corner(volume, i, corner);
        to_world(v, corner, v->corners + 3 * v->corner_count++);
    }
    assert(v->corner_count <= v->corner_capacity);
    return 0;
}

static int add_lines(void *user, const bvp_volume *volume)
{
    view *v = user;
    double outline[VOLUME_LINES][6];
    const int count = volume_lines(volume, outline);
    assert(count >= 0 && count <= VOLUME_LINES);
    if (array_grow(&v->lines, &v->line_capacity, v->line_count + (size_t)count, sizeof *v->lines) !=
        0) {
        v->is_out_of_memory = 1;
        return 1;
    }
    for (int i = 0; i < count; i++) {
        render_line *line = &v->lines[v->line_count++];
        to_world(v, outline[i], line->a);
        to_world(v, outline[i] + 3, line->b);
        line->paint = colour_of(0x1d4ed8);
    }
    return 0;
}

/* A level of the requested hierarchy, which is drawn and must be in the picture. Without
 * --hierarchy it is the assembly's own; with it, those of all its parts. */
static bvp_status read_level(view *v)
{
    const operand *o = &v->model;
    const char *word = v->set->kind;
    const bvp_kind kind = word ? (bvp_kind)kind_by_name(word, strlen(word)) : BVP_KIND_DEFAULT;
    const uint32_t level = (uint32_t)v->set->level;
    const int is_whole = o->part == BVP_ASSEMBLY && word;
    const uint32_t count = is_whole ? o->info.instance_count : 1;
    bvp_status status = BVP_OK;
    for (uint32_t i = 0; i < count && status == BVP_OK; i++) {
        bvp_instance_info instance = {.part = o->part};
        if (is_whole)
            status = bvp_get_instance(o->file, i, &instance);
        if (is_whole)
            compose(o->placement, instance.placement, v->to_world);
        if (status == BVP_OK)
            status = bvp_volumes(o->file, instance.part, kind, level, add_corners, v);
        if (status == BVP_OK)
            status = bvp_volumes(o->file, instance.part, kind, level, add_lines, v);
    }
    if (status == BVP_ERR_ARGUMENT)
        complain("--hierarchy", "there is no such hierarchy in %s", o->text);
    return status;
}

/* Corners for the camera: those of small volumes, so that it can come near. */
static bvp_status read_corners(view *v)
{
    const operand *o = &v->model;
    const uint32_t count = o->info.instance_count;
    const uint32_t level = count > 2000 ? 0 : count > 100 ? 1 : 2;
    bvp_status status = BVP_OK;
    if (o->part != BVP_ASSEMBLY || count > FIT_INSTANCES)
        return bvp_volumes(o->file, o->part, BVP_KIND_DEFAULT, FIT_LEVEL, add_corners, v);
    for (uint32_t i = 0; i < count && status == BVP_OK; i++) {
        bvp_instance_info instance;
        status = bvp_get_instance(o->file, i, &instance);
        compose(o->placement, instance.placement, v->to_world);
        if (status == BVP_OK)
            status = bvp_volumes(o->file, instance.part, BVP_KIND_DEFAULT, level, add_corners, v);
    }
    memcpy(v->to_world, o->placement, sizeof v->to_world);
    return status;
}

/* Corners for the camera, lines for the picture. Volumes that are drawn must be in the picture. */
static int read_volumes(view *v)
{
    const operand *o = &v->model;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    memcpy(v->to_world, o->placement, sizeof v->to_world);
    bvp_status status = v->set->level == LEVEL_NONE ? read_corners(v) : read_level(v);
    if (status == BVP_OK && v->is_out_of_memory)
        status = BVP_ERR_NO_MEMORY;
    if (status == BVP_ERR_ARGUMENT)
        return EXIT_USAGE;
    if (status != BVP_OK)
        return complain_status(o->text, status, NULL);
    if (v->corner_count == 0) {
        complain(o->text, "there is nothing to see: no triangles");
        return EXIT_INPUT;
    }
    for (size_t i = 0; i < 3 * v->corner_count; i++) {
        lo[i % 3] = fmin(lo[i % 3], v->corners[i]);
        hi[i % 3] = fmax(hi[i % 3], v->corners[i]);
    }
    v->size = hypot(hypot(hi[0] - lo[0], hi[1] - lo[1]), hi[2] - lo[2]);
    return 0;
}

/* ---- options --------------------------------------------------------------------------------- */

/* A preset view fits the model into the picture; an eye position is used as given. */
static int aim(view *v)
{
    const settings *set = v->set;
    const bvp_up up = v->model.info.up;
    double eye[3], target[3] = {0, 0, 0}, away[3];
    if (!(set->angle >= 0 && set->angle <= 150)) {
        complain("--angle", "expected 0 to 150 degrees");
        return EXIT_USAGE;
    }
    assert(v->corner_count > 0); /* read_volumes has seen to it */
    camera_lens(&v->eye, v->width, v->height, set->angle);
    if (camera_preset(&v->eye, set->camera, up)) {
        camera_fit(&v->eye, v->corners, v->corner_count, 0.03);
        return 0;
    }
    if (parse_numbers(set->camera, eye, 3) != 3) {
        complain("--camera", "expected %s or the eye's x,y,z, found \"%s\"", CAMERA_WORDS,
                 set->camera);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < v->corner_count; i++)
        for (int a = 0; a < 3; a++)
            target[a] += v->corners[3 * i + a] / (double)v->corner_count;
    if (set->target && parse_vector("--target", set->target, target, 3) != 0)
        return EXIT_USAGE;
    if (!camera_look(&v->eye, eye, target, up)) {
        complain("--camera", "the eye is where it looks at");
        return EXIT_USAGE;
    }
    for (int a = 0; a < 3; a++)
        away[a] = target[a] - eye[a];
    if (v->eye.parallel)
        camera_span(&v->eye, 0.5 * hypot(hypot(away[0], away[1]), away[2]));
    return 0;
}

/* FILE with --part is FILE:PART. */
static int open_model(view *v, const char *text)
{
    static const bvp_open_options whole_file = {.verify_lazily = 1, .read_ahead = 1};
    const char *part = v->set->part;
    char whole[4096];
    if (!part) {
        const int code = operand_open(&v->model, text, v->set->place, &whole_file, NULL);
        return code ? code : operand_check(&v->model);
    }
    const char *mark = part[strspn(part, "0123456789")] == '\0' ? "#" : "";
    if (snprintf(whole, sizeof whole, "%s:%s%s", text, mark, part) >= (int)sizeof whole) {
        complain("--part", "the name is too long");
        return EXIT_USAGE;
    }
    int code = operand_open(&v->model, whole, v->set->place, &whole_file, NULL);
    v->model.text = text;
    return code ? code : operand_check(&v->model);
}

static uint32_t thread_count(const settings *set)
{
    long online = set->jobs ? (long)set->jobs : sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}

/* ---- the picture ----------------------------------------------------------------------------- */

/* Into rgb, and from there into the file. */
static int draw(view *v, uint8_t *rgb)
{
    const settings *set = v->set;
    progress bar;
    render_job job = {.body = operand_body(&v->model),
                      .view = v->eye,
                      .samples = (uint32_t)set->samples,
                      .occlusion = (uint32_t)set->occlusion,
                      .reach = 0.12 * v->size,
                      .thread_count = thread_count(set),
                      .paint = v->colours.paint,
                      .paint_user = &v->colours,
                      .lines = v->lines,
                      .line_count = v->line_count,
                      .line_width = 1.3,
                      .progress = progress_update,
                      .progress_user = &bar};
    progress_start(&bar, set->quiet);
    bvp_status status = render(&job, rgb);
    progress_stop(&bar);
    if (status != BVP_OK)
        return complain_status(v->model.text, status, NULL);
    output out;
    const int code = output_open(&out, set->output);
    if (code != 0)
        return code;
    const int failure = image_write_png(out.fd, v->width, v->height, rgb);
    if (failure == 0)
        return output_commit(&out);
    complain(set->output, "can't write: %s", strerror(failure));
    output_discard(&out);
    return EXIT_OUTPUT;
}

static int picture(view *v)
{
    unsigned width = 0, height = 0;
    char rest;
    if (sscanf(v->set->size, "%5ux%5u%c", &width, &height, &rest) != 2 || width < 1 || height < 1 ||
        width > SIDE_MOST || height > SIDE_MOST) {
        complain("--size", "expected WIDTHxHEIGHT in pixels, 1 to %d each, found \"%s\"", SIDE_MOST,
                 v->set->size);
        return EXIT_USAGE;
    }
    v->width = width;
    v->height = height;
    int code = read_volumes(v);
    if (code == 0)
        code = aim(v);
    if (code != 0)
        return code;
    const palette_subject subject = {v->model.file, v->model.part, v->model.instance};
    bvp_status status = palette_open(&v->colours, v->set->colour, &subject);
    uint8_t *rgb = malloc((size_t)v->width * v->height * 3);
    if (status == BVP_OK && !rgb)
        status = BVP_ERR_NO_MEMORY;
    code = status == BVP_OK ? draw(v, rgb) : complain_status(v->model.text, status, NULL);
    free(rgb);
    palette_close(&v->colours);
    return code;
}

/* ---- the page -------------------------------------------------------------------------------- */

static int has_ending(const char *name, const char *ending)
{
    const size_t size = strlen(name), most = strlen(ending);
    return size > most && strcasecmp(name + size - most, ending) == 0;
}

/* What browsers can open. 0 or the exit code. */
static int check_for_page(const settings *set, const char *file)
{
    operand model;
    int code = operand_open(&model, file, NULL, NULL, NULL);
    if (code == 0 && model.part != BVP_ASSEMBLY) {
        complain(file, "the page shows whole files: name the file alone");
        code = EXIT_USAGE;
    } else if (code == 0 && model.info.is_thin) {
        complain(file,
                 "this is a thin file, which pages cannot open: `bvpack merge` makes one that "
                 "has its parts");
        code = EXIT_INPUT;
    } else if (code == 0 && has_ending(file, ".zst")) {
        complain(file, "pages cannot open compressed files: `zstd -d` makes a packed file of it");
        code = EXIT_INPUT;
    }
    operand_close(&model);
    if (code == 0 && set->report && !has_ending(set->report, ".jsonl")) {
        complain("--report",
                 "expected the rows of `bvpack clash --report FILE.jsonl`, found \"%s\"",
                 set->report);
        code = EXIT_USAGE;
    }
    return code;
}

static int page(const settings *set, const settings *usual, const char *file)
{
    settings others = *set;
    others.output = others.report = NULL;
    others.quiet = 0;
    if (memcmp(&others, usual, sizeof others) != 0) {
        complain(set->output, "a page takes --report only: the other options are of pictures");
        return EXIT_USAGE;
    }
    const int code = check_for_page(set, file);
    return code ? code : page_write(set->output, file, set->report);
}

static int run(const verb *self, int argc, char **argv)
{
    settings set, usual;
    memset(&usual, 0, sizeof usual); /* padding, too, for it is compared */
    usual.size = "1280x800";
    usual.camera = "iso";
    usual.angle = 28;
    usual.level = LEVEL_NONE;
    usual.samples = usual.occlusion = 2;
    memcpy(&set, &usual, sizeof set);
    int code, first = options_operands(self, argc, argv, &set, 1, 1, "a FILE", &code);
    if (first < 0)
        return code;
    if (!set.output) {
        complain(NULL, "name the picture to write with -o OUT.png, or the page with -o OUT.html");
        return EXIT_USAGE;
    }
    if (has_ending(set.output, ".html") || has_ending(set.output, ".htm"))
        return page(&set, &usual, argv[first]);
    if (set.report) {
        complain("--report", "only a page shows a report: end the name of -o with .html");
        return EXIT_USAGE;
    }
    /* a name with the ending of another format would mislead its reader */
    const char *slash = strrchr(set.output, '/');
    const char *ending = strrchr(slash ? slash + 1 : set.output, '.');
    if (ending && strcasecmp(ending, ".png") != 0) {
        complain(set.output,
                 "the picture is a PNG: end the name with .png, or with .html for a page");
        return EXIT_USAGE;
    }
    view v = {.set = &set};
    code = open_model(&v, argv[first]);
    if (code == 0) {
        /* An assembly of one instance shows the hierarchy of its part. */
        bvp_instance_info instance;
        if (v.model.part == BVP_ASSEMBLY && v.model.info.instance_count == 1 &&
            bvp_get_instance(v.model.file, 0, &instance) == BVP_OK) {
            v.model.part = instance.part;
            v.model.placed = 1;
            compose(v.model.placement, instance.placement, v.model.placement);
        }
        code = picture(&v);
    }
    operand_close(&v.model);
    free(v.corners);
    free(v.lines);
    return code;
}

static const option_row options[] = {
    {"output", 'o', OPTION_FILE, offsetof(settings, output), "OUT.png|OUT.html",
     "the picture to write, - is standard output; or the page", 0, 0},
    {"report", 0, OPTION_FILE, offsetof(settings, report), "FILE.jsonl",
     "of a page: the clashes that it lists, as `bvpack clash --report` writes them", 0, 0},
    {"size", 's', OPTION_TEXT, offsetof(settings, size), "WxH",
     "its size in pixels; 1280x800 is the default", 0, 0},
    {"camera", 'c', OPTION_TEXT, offsetof(settings, camera), "VIEW",
     "iso (the default), front, back, left, right, top, bottom: the whole model from there; or "
     "x,y,z: the eye's place in the world",
     0, 0},
    {"target", 0, OPTION_TEXT, offsetof(settings, target), "X,Y,Z",
     "what an eye given by numbers looks at; the default is the middle of the model", 0, 0},
    {"angle", 0, OPTION_NUMBER, offsetof(settings, angle), "DEGREES",
     "opening angle of the picture's smaller side; 28 is the default, 0 a parallel projection", 0,
     0},
    {"color", 0, OPTION_CHOICE, offsetof(settings, colour), "source|shade|part|leaf|level",
     "the base colours of the source, one colour for all, or by part, by leaf of the hierarchy, by "
     "the leaf's level in it; the default is source where the file has its colours, else part for "
     "an assembly, else shade",
     0, 0},
    {"level", 'l', OPTION_COUNT, offsetof(settings, level), "N",
     "draw the volumes of level N of the hierarchy over the picture; 0 is the root's", 0, 64},
    {"hierarchy", 0, OPTION_CHOICE, offsetof(settings, kind), KIND_CHOICE,
     "the hierarchy whose level is drawn, of an assembly those of all its parts; the default is a "
     "part's first, and an assembly's own",
     0, 0},
    {"part", 'p', OPTION_TEXT, offsetof(settings, part), "NAME|N",
     "show this part only, as FILE:NAME and FILE:#N do", 0, 0},
    {"place", 0, OPTION_TEXT, offsetof(settings, place), "PLACEMENT",
     "where the model stands: x,y,z or x,y,z,rx,ry,rz in degrees, or the 12 numbers of a 3x4 "
     "matrix",
     0, 0},
    {"samples", 0, OPTION_COUNT, offsetof(settings, samples), "N",
     "rays along each side of a pixel; 2 is the default, 1 fast, 4 fine", 1, 8},
    {"occlusion", 0, OPTION_COUNT, offsetof(settings, occlusion), "N",
     "rays a sample that darken corners and gaps; 2 is the default, 0 fast", 0, 256},
    {"jobs", 'j', OPTION_COUNT, offsetof(settings, jobs), "N",
     "threads to use; 0, the default, is one per processor; the picture does not depend on it", 0,
     0},
    {"quiet", 'q', OPTION_FLAG, offsetof(settings, quiet), NULL, "show no progress", 0, 0},
    {0},
};

const verb verb_view = {
    .name = "view",
    .summary = "draw a picture of a packed model, or make a page that shows it",
    .synopsis = "FILE[:PART] -o OUT.png [OPTION]...\n"
                "FILE -o OUT.html [--report FILE.jsonl]\n",
    .description =
        "Draws a picture with the library's own rays, straight from the packed file: in the "
        "source's base colours, shaded, or coloured by part, by leaf or by level of the hierarchy, "
        "with the volumes of a level drawn "
        "over it when asked. The picture is a PNG; equal files and options give equal pictures.\n\n"
        "A name that ends with .html makes a page for browsers with the viewer in it, which opens "
        "FILE by requests for ranges: put both on any server of files, as they lie beside each "
        "other here. It has the product tree with search, picks, sections, exact measures, the "
        "clashes of a report, and views of BCF. A page that is opened from a folder may not read "
        "FILE by itself, and asks for it.",
    .options = options,
    .examples = "bvpack view plant.bvp -o plant.png\n"
                "# a page that shows it, with the clashes of today\n"
                "bvpack view plant.bvp -o plant.html --report today.jsonl\n"
                "# one part, the leaves of its hierarchy in colours\n"
                "bvpack view plant.bvp:pump -o pump.png --color leaf\n"
                "# the boxes of the third level over a view from the front\n"
                "bvpack view link.bvp -o boxes.png --camera front --level 3\n"
                "# the oriented boxes of the fifth, when they are in the file\n"
                "bvpack view link.bvp -o oriented.png --hierarchy obb --level 5\n",
    .exit_codes = NULL,
    .completes = "bvp|zst",
    .run = run,
};
