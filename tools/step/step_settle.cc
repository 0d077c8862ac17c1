/* SPDX-License-Identifier: MIT
 * step_settle.cc: finds the parts whose meshes leave open whether they touch or penetrate others,
 * and gives them finer ones.
 *
 * Two meshes that are e and f off their surfaces tell nothing of what is nearer or shallower than
 * e + f: there a clearance, a fit without play and a press fit look alike. So the instances are
 * packed in memory, and asked which pairs touch within that. The parts of these pairs are meshed
 * FINER times finer, and only these pairs are asked again, until they are clear or penetrate, or
 * the chord is LEVELS times finer. What remains is a fit to within a 64th of the chord, or was too
 * large. The outcome is no verdict but a mesh with a known error: whoever asks later gets the
 * answer from the file, wherever it puts the parts.
 * Measured: decisions.md, "The dead band of STEP"
 */
#include "step/step.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <set>
#include <thread>
#include <utility>

#include <unistd.h>

#include "bvpack_build.h"
#include "bvpack_clash.h"

namespace
{

const double FINER = 8;
const int LEVELS = 2;
const size_t INSTANCE_MAX = 1u << 20;
/* Triangles that a finer mesh of one part, and those of all of them, may have: so many times what
 * there are, and some. */
const double PART_GROWTH = 32, PART_MORE = 1 << 16, ALL_GROWTH = 6, ALL_MORE = 1 << 18;

typedef std::pair<uint32_t, uint32_t> instance_pair;

/* ---- a file in memory ------------------------------------------------------------------------ */

void out_of_memory_unless(bvp_status status)
{
    if (status == BVP_ERR_NO_MEMORY)
        throw std::bad_alloc();
}

/* What is written to the pipe, as bytes that bvp_open_memory takes. The process may open no file,
 * and its memory is limited. */
struct drain {
    uint8_t *data = nullptr;
    size_t size = 0, capacity = 0;
    bool is_short = false;

    void run(int fd)
    {
        const size_t step = size_t(1) << 16, alignment = 64;
        for (;;) {
            if (capacity - size < step) {
                const size_t wanted = 2 * capacity + 4 * step;
                void *larger = std::aligned_alloc(alignment, wanted);
                if (larger && size > 0)
                    std::memcpy(larger, data, size);
                std::free(data);
                data = static_cast<uint8_t *>(larger);
                capacity = larger ? wanted : 0;
                if (!larger) { /* the writer's end then fails */
                    is_short = true;
                    return;
                }
            }
            const ssize_t got = read(fd, data + size, capacity - size);
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0)
                return;
            size += static_cast<size_t>(got);
        }
    }
};

/* The instances `wanted` of the parts, packed. NULL: they can't be. */
class packed
{
  public:
    packed(const std::vector<step_part> &parts, const std::vector<step_instance> &instances,
           const std::vector<uint32_t> &wanted, int thread_count)
    {
        bvp_build_options options = {};
        options.thread_count = static_cast<uint32_t>(thread_count);
        options.no_ids = 1;
        bvp_builder *builder = nullptr;
        bvp_status status = bvp_builder_new(&options, &builder, nullptr);
        if (status == BVP_OK)
            status = fill(builder, parts, instances, wanted);
        if (status == BVP_OK)
            status = finish(builder);
        bvp_builder_free(builder);
        out_of_memory_unless(status);
    }
    packed(const packed &) = delete;
    packed &operator=(const packed &) = delete;

    ~packed()
    {
        bvp_close(file_);
        std::free(bytes_.data);
    }

    const bvp_file *file() const
    {
        return file_;
    }

  private:
    static bvp_status fill(bvp_builder *builder, const std::vector<step_part> &parts,
                           const std::vector<step_instance> &instances,
                           const std::vector<uint32_t> &wanted)
    {
        bvp_new_node root = {BVP_NONE, nullptr, nullptr, nullptr, BVP_NONE};
        std::vector<uint32_t> known(parts.size(), BVP_NONE);
        bvp_status status = bvp_builder_add_node(builder, &root, nullptr, nullptr);
        for (size_t i = 0; i < wanted.size() && status == BVP_OK; i++) {
            const step_instance &instance = instances[wanted[i]];
            uint32_t &part = known[instance.part];
            if (part == BVP_NONE) {
                const step_mesh &from = parts[instance.part].mesh;
                bvp_mesh mesh = {};
                mesh.positions = from.positions.data();
                mesh.is_double = 1;
                mesh.vertex_count = from.positions.size() / 3;
                mesh.indices = from.indices.data();
                mesh.triangle_count = from.ids.size();
                status = bvp_builder_add_part(builder, &mesh, &part, nullptr);
            }
            const bvp_new_node node = {0, nullptr, nullptr, instance.placement, part};
            if (status == BVP_OK)
                status = bvp_builder_add_node(builder, &node, nullptr, nullptr);
        }
        return status;
    }

    bvp_status finish(bvp_builder *builder)
    {
        int ends[2];
        if (pipe(ends) != 0)
            return BVP_ERR_SYSTEM;
        std::thread reader([this, &ends] {
            bytes_.run(ends[0]);
            close(ends[0]); /* so that a writer that goes on does not wait */
        });
        bvp_status status = bvp_builder_finish_fd(builder, ends[1], nullptr, nullptr);
        close(ends[1]);
        reader.join();
        if (bytes_.is_short)
            return BVP_ERR_NO_MEMORY;
        if (status == BVP_OK)
            status = bvp_open_memory(bytes_.data, bytes_.size, nullptr, &file_, nullptr);
        return status;
    }

    drain bytes_;
    bvp_file *file_ = nullptr;
};

/* ---- which pairs are open -------------------------------------------------------------------- */

/* One question about all pairs of the instances `wanted`. */
struct question {
    const std::vector<step_part> &parts;
    const std::vector<step_instance> &instances;
    const std::vector<uint32_t> &wanted;
    const std::set<instance_pair> *only; /* or NULL: all pairs */
    double least;                        /* what is known to within that is not asked */
    double coordinates;                  /* what these leave open */
    std::set<instance_pair> open;

    double gap(uint32_t a, uint32_t b) const
    {
        return parts[instances[a].part].mesh.error + parts[instances[b].part].mesh.error;
    }

    static int limit(void *user, uint32_t a, uint32_t b, bvp_clash_limits *limits)
    {
        const question *q = static_cast<question *>(user);
        const uint32_t first = q->wanted[a], second = q->wanted[b];
        const double gap = q->gap(first, second);
        if (gap <= q->least || (q->only && q->only->count({first, second}) == 0))
            return 1;
        limits->touch_gap = limits->overlap = std::max(gap, q->coordinates);
        return 0;
    }

    static int take(void *user, const bvp_clash_pair *pair)
    {
        question *q = static_cast<question *>(user);
        const uint32_t a = q->wanted[pair->a], b = q->wanted[pair->b];
        const step_instance &first = q->instances[a], &second = q->instances[b];
        const bool is_same =
            first.part == second.part &&
            std::memcmp(first.placement, second.placement, sizeof first.placement) == 0;
        if (pair->verdict == BVP_VERDICT_TOUCHING ||
            (pair->verdict == BVP_VERDICT_DUPLICATE && !is_same))
            q->open.insert({a, b});
        return 0;
    }
};

/* Asks `q`; false: nobody knows. */
bool ask(question *q, int thread_count)
{
    const packed all(q->parts, q->instances, q->wanted, thread_count);
    if (!all.file())
        return false;
    double largest = 0;
    for (const uint32_t i : q->wanted)
        largest = std::max(largest, q->parts[q->instances[i].part].mesh.error);
    q->coordinates = bvp_clash_touch_gap(all.file(), nullptr);
    bvp_clash_options options = {};
    options.limits.touch_gap = options.limits.overlap = std::max(2 * largest, q->coordinates);
    options.detail = BVP_CLASH_VERDICTS;
    options.thread_count = static_cast<uint32_t>(thread_count);
    options.rule = question::limit;
    options.rule_user = q;
    const bvp_clash_scene scene = {all.file(), nullptr, nullptr};
    const bvp_status status =
        bvp_clash(&scene, &options, question::take, q, nullptr, nullptr);
    out_of_memory_unless(status);
    return status == BVP_OK;
}

/* ---- finer meshes ---------------------------------------------------------------------------- */

/* How many triangles the part has when it is cut to `chord`, about. */
double expected_triangles(const step_mesh &mesh, double chord)
{
    return static_cast<double>(mesh.ids.size()) + mesh.growth / std::sqrt(chord) +
           mesh.growth_twice / chord;
}

} // namespace

uint64_t step_settle(const step_settings &settings, const Handle(XCAFDoc_ColorTool) & colours,
                     const std::vector<step_instance> &instances, std::vector<step_part> *parts)
{
    std::vector<uint32_t> wanted;
    std::set<instance_pair> open;
    std::set<uint32_t> too_large;
    double chord = settings.chord, budget = ALL_MORE;
    const double finest = chord / std::pow(FINER, LEVELS);
    if (instances.size() > INSTANCE_MAX)
        return 0;
    for (uint32_t i = 0; i < instances.size(); i++)
        wanted.push_back(i);
    for (const step_part &part : *parts)
        budget += ALL_GROWTH * static_cast<double>(part.mesh.ids.size());
    for (int level = 0; level < LEVELS; level++) {
        question q = {*parts, instances, wanted, level > 0 ? &open : nullptr, 2 * finest, 0, {}};
        if (wanted.size() < 2 || !ask(&q, settings.thread_count))
            break;
        open.swap(q.open);
        chord /= FINER;
        std::set<uint32_t> used, coarse;
        for (const instance_pair &pair : open)
            for (const uint32_t i : {pair.first, pair.second}) {
                const uint32_t part = instances[i].part;
                used.insert(i);
                if ((*parts)[part].mesh.error > chord)
                    coarse.insert(part);
            }
        for (const uint32_t p : coarse) {
            step_part &part = (*parts)[p];
            const double count = static_cast<double>(part.mesh.ids.size());
            const double more = expected_triangles(part.mesh, chord);
            if (more > PART_GROWTH * count + PART_MORE || more > budget) {
                too_large.insert(p);
                continue;
            }
            step_mesh finer;
            step_mesh_shape(part.shape, chord, settings, colours, &finer);
            budget -= static_cast<double>(finer.ids.size());
            if (finer.error < part.mesh.error && finer.missing_faces <= part.mesh.missing_faces)
                part.mesh = std::move(finer);
        }
        wanted.assign(used.begin(), used.end());
    }
    return too_large.size();
}
