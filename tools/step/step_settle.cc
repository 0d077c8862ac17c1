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
#include <map>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include <unistd.h>

#include "bvpack_build.h"
#include "bvpack_clash.h"

namespace
{

const double FINER = 8;
const int LEVELS = 2;
const size_t INSTANCE_MAX = 1u << 20;
/* All finer meshes together have a triangle for so many bytes of the model at most: to make one
 * takes about as long as to read that many. */
const double BYTES_A_TRIANGLE = 14;

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

    /* Which of `wanted` an instance of the file is: the builder has an order of its own. */
    uint32_t number_of(uint32_t instance) const
    {
        bvp_instance_info info = {};
        bvp_get_instance(file_, instance, &info);
        return info.node - 1; /* the root comes first */
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
    const std::map<instance_pair, bool> *only; /* or NULL: all pairs */
    double least;                              /* what is known to within that is not asked */
    double coordinates;                        /* what these leave open */
    std::map<instance_pair, bool> open;        /* true: the meshes cross */
    std::vector<uint32_t> numbers;             /* of `instances`, of the packed ones */

    double gap(uint32_t a, uint32_t b) const
    {
        return parts[instances[a].part].mesh.error + parts[instances[b].part].mesh.error;
    }

    instance_pair pair_of(uint32_t a, uint32_t b) const
    {
        return {std::min(numbers[a], numbers[b]), std::max(numbers[a], numbers[b])};
    }

    static int limit(void *user, uint32_t a, uint32_t b, bvp_clash_limits *limits)
    {
        const question *q = static_cast<question *>(user);
        const instance_pair pair = q->pair_of(a, b);
        const double gap = q->gap(pair.first, pair.second);
        if (gap <= q->least || (q->only && q->only->count(pair) == 0))
            return 1;
        limits->touch_gap = limits->overlap = std::max(gap, q->coordinates);
        return 0;
    }

    static int take(void *user, const bvp_clash_pair *pair)
    {
        question *q = static_cast<question *>(user);
        const instance_pair both = q->pair_of(pair->a, pair->b);
        const step_instance &first = q->instances[both.first];
        const step_instance &second = q->instances[both.second];
        const bool is_same =
            first.part == second.part &&
            std::memcmp(first.placement, second.placement, sizeof first.placement) == 0;
        if (pair->verdict == BVP_VERDICT_TOUCHING ||
            (pair->verdict == BVP_VERDICT_DUPLICATE && !is_same))
            q->open[both] = pair->depth_upper > 4 * q->coordinates;
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
    for (uint32_t i = 0; i < q->wanted.size(); i++)
        q->numbers.push_back(q->wanted[all.number_of(i)]);
    for (const uint32_t i : q->wanted)
        largest = std::max(largest, q->parts[q->instances[i].part].mesh.error);
    q->coordinates = bvp_clash_touch_gap(all.file(), nullptr);
    bvp_clash_options options = {};
    options.limits.touch_gap = options.limits.overlap = std::max(2 * largest, q->coordinates);
    options.detail = BVP_CLASH_DISTANCE;
    options.thread_count = static_cast<uint32_t>(thread_count);
    options.rule = question::limit;
    options.rule_user = q;
    const bvp_clash_scene scene = {all.file(), nullptr, nullptr};
    const bvp_status status = bvp_clash(&scene, &options, question::take, q, nullptr, nullptr);
    out_of_memory_unless(status);
    return status == BVP_OK;
}

/* ---- finer meshes ---------------------------------------------------------------------------- */

/* How many triangles the part has when it is cut to `chord`, about: where a surface bends one way,
 * triangles are as many as steps, and the error goes with the square of a step. Small faces are
 * fine enough as they are, for their angle. */
double expected_triangles(const step_mesh &mesh, double chord)
{
    double sum = 0;
    for (const step_face &face : mesh.faces) {
        const double finer = std::min(FINER, std::max(1., face.error / chord));
        sum += static_cast<double>(face.triangle_count) *
               (face.bends_both_ways ? finer : std::sqrt(finer));
    }
    return sum;
}

} // namespace

uint64_t step_settle(const step_settings &settings, const Handle(XCAFDoc_ColorTool) & colours,
                     const std::vector<step_instance> &instances, std::vector<step_part> *parts)
{
    std::vector<uint32_t> wanted;
    std::map<instance_pair, bool> open;
    uint64_t too_large = 0; /* in the last level */
    double chord = settings.chord,
           budget = static_cast<double>(settings.model_size) / BYTES_A_TRIANGLE;
    const double finest = chord / std::pow(FINER, LEVELS);
    if (instances.size() > INSTANCE_MAX)
        return 0;
    for (uint32_t i = 0; i < instances.size(); i++)
        wanted.push_back(i);
    for (int level = 0; level < LEVELS; level++) {
        question q = {*parts,     instances, wanted, level > 0 ? &open : nullptr,
                      2 * finest, 0,         {},     {}};
        if (wanted.size() < 2 || !ask(&q, settings.thread_count))
            break;
        open.swap(q.open);
        too_large = 0;
        chord /= FINER;
        std::set<uint32_t> used;
        std::map<uint32_t, bool> coarse;
        for (const auto &next : open)
            for (const uint32_t i : {next.first.first, next.first.second}) {
                const uint32_t p = instances[i].part;
                used.insert(i);
                if ((*parts)[p].mesh.error > chord)
                    coarse[p] |= next.second;
            }
        /* first what crosses, for it may penetrate; of that, what costs little */
        std::set<std::tuple<bool, double, uint32_t>> queue;
        for (const auto &next : coarse)
            queue.insert(
                {!next.second, expected_triangles((*parts)[next.first].mesh, chord), next.first});
        for (const auto &next : queue) {
            step_part &part = (*parts)[std::get<2>(next)];
            if (std::get<1>(next) > budget) {
                too_large++;
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
    return too_large;
}
