// SPDX-License-Identifier: MIT
// header_case.cc: bvpack.hpp answers what the C functions answer, and what a callable throws comes
// out of the call that it was given to. Compiled by check_cpp.sh with exceptions, with
// bvp::expected, and without exceptions. Usage: header_case FOLDER
#include "bvpack.hpp"

#include <cstdio>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <unistd.h>

namespace
{
#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            std::fprintf(stderr, "header_case.cc:%d: not so: %s\n", __LINE__, #what);              \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

// The answer of a call that must not fail, in either way of telling failures.
template <class T> T take(T value)
{
    return value;
}
template <class T> T take(bvp::expected<T> answer)
{
    if (!answer)
        std::fprintf(stderr, "%s\n", answer.error().what());
    CHECK(answer);
    return *std::move(answer);
}
// The same of a call without an answer.
#if BVP_HPP_THROWS
#define DO(call) call
#else
#define DO(call) CHECK(call)
#endif

bool equal(double x, double y)
{
    return std::fabs(x - y) <= 1e-8;
}

// The status of a call that must fail.
template <class F> bvp_status status_of(F &&call)
{
#if BVP_HPP_THROWS
    try {
        call();
    } catch (const bvp::error &failure) {
        CHECK(std::strlen(failure.what()) > 0);
        return failure.status();
    }
    return BVP_OK;
#else
    auto answer = call();
    return answer ? BVP_OK : answer.error().status();
#endif
}

#if BVP_HPP_CATCHES
struct thrown {
};
template <class F> bool throws(F &&call)
{
    try {
        (void)call();
    } catch (const thrown &) {
        return true;
    }
    return false;
}
#endif

const float corners[8 * 3] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0,
                              0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
const std::uint32_t faces[12 * 3] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                     2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

bvp_mesh cube()
{
    bvp_mesh mesh = {};
    mesh.positions = corners;
    mesh.vertex_count = 8;
    mesh.indices = faces;
    mesh.triangle_count = 12;
    mesh.name = "cube";
    return mesh;
}

bvp::placement shifted(double x)
{
    return {1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0};
}

// Two cubes that overlap by half, and one far from them.
void write_cubes(const std::string &path)
{
    int told = 0;
    bvp::build_hooks hooks;
    hooks.progress = [&](const char *, std::uint64_t, std::uint64_t) { told++; };
    bvp_build_options options = {};
    options.deformable = 1;
    bvp::builder builder = take(bvp::builder::make(options, hooks));
    const std::uint32_t part = take(builder.add_part(cube()));
    CHECK(take(builder.part(part)).triangle_count == 12);
    for (const double x : {0., .5, 10.}) {
        const bvp::placement at = shifted(x);
        bvp_new_node node = {};
        node.parent = BVP_NONE;
        node.name = "placed";
        node.placement = at.data();
        node.part = part;
        DO(builder.add_property(take(builder.add_node(node)), "colour", "blue"));
    }
    const bvp_build_report report = take(builder.finish(path));
    CHECK(report.instance_count == 3 && told > 0);
}

void stream_part(const std::string &folder)
{
    bvp::builder builder = take(bvp::builder::make());
    bvp_triangle_stream stream = {};
    std::uint32_t sent = 0;
    const auto next = [&](void *out, std::uint32_t *ids, std::uint32_t room) -> std::uint32_t {
        if (sent == 12 || !room)
            return 0;
        for (std::size_t k = 0; k < 3; k++)
            std::memcpy(static_cast<float *>(out) + 3 * k, corners + 3 * faces[3 * sent + k], 12);
        *ids = sent++;
        return 1;
    };
    CHECK(take(builder.add_stream(stream, next)) == 0);
    CHECK(take(builder.finish(folder + "/streamed.bvp")).triangle_count == 12);
    const auto fails = [](void *, std::uint32_t *, std::uint32_t) {
        return bvp::expected<std::uint32_t>(bvp::error(BVP_ERR_NOT_OURS));
    };
    bvp::builder other = take(bvp::builder::make());
    CHECK(status_of([&] { return other.add_stream(stream, fails); }) == BVP_ERR_NOT_OURS);
}

// A source over a file's bytes.
struct reader {
    std::vector<unsigned char> bytes;
    int *reads;
    bool *fails;
    std::uint64_t size() const
    {
        return bytes.size();
    }
    bvp_status read(std::uint64_t offset, bvp::view<unsigned char> out)
    {
        ++*reads;
        if (*fails) {
#if BVP_HPP_CATCHES
            throw thrown();
#else
            return BVP_ERR_AGAIN;
#endif
        }
        std::memcpy(out.data(), bytes.data() + offset, out.size());
        return BVP_OK;
    }
};

std::vector<unsigned char> bytes_of(const std::string &path)
{
    std::FILE *from = std::fopen(path.c_str(), "rb");
    CHECK(from);
    std::vector<unsigned char> bytes(1 << 20);
    bytes.resize(std::fread(bytes.data(), 1, bytes.size(), from));
    std::fclose(from);
    return bytes;
}

void open_all_ways(const std::string &path)
{
    const bvp_file_info info = take(bvp::file::open(path)).info();
    const int fd = open(path.c_str(), O_RDONLY);
    CHECK(take(bvp::file::open_fd(fd)).info().file_size == info.file_size);
    close(fd);
    const std::vector<unsigned char> bytes = bytes_of(path);
    std::unique_ptr<unsigned char, void (*)(void *)> aligned(
        static_cast<unsigned char *>(std::aligned_alloc(64, (bytes.size() + 63) / 64 * 64)),
        std::free);
    std::memcpy(aligned.get(), bytes.data(), bytes.size());
    const bvp::view<const unsigned char> memory(aligned.get(), bytes.size());
    CHECK(take(bvp::file::open_memory(memory)).info().instance_count == 3);
    DO(bvp::verify(memory));
    int findings = 0;
    DO(bvp::verify(memory, [&](const bvp_finding &) { findings++; }));
    CHECK(findings == 0);
    aligned.get()[bytes.size() / 2] ^= 1;
    CHECK(status_of([&] { return bvp::verify(memory); }) == BVP_ERR_CORRUPT);

    int reads = 0;
    bool fails = false;
    bvp::file remote = take(bvp::file::open_source(reader{bytes, &reads, &fails}));
    CHECK(reads > 0);
    fails = true;
#if BVP_HPP_CATCHES
    CHECK(throws([&] { return bvp::file::open_source(reader{bytes, &reads, &fails}); }));
#else
    CHECK(status_of([&] {
              return bvp::file::open_source(reader{bytes, &reads, &fails});
          }) == BVP_ERR_AGAIN);
#endif
    fails = false;
    CHECK(take(bvp::body(remote).collide(bvp::itself)));
    CHECK(status_of([&] { return bvp::file::open("/nonexistent/file.bvp"); }) == BVP_ERR_SYSTEM);
}

void look_inside(const bvp::file &file)
{
    CHECK(bvp::text(take(file.part(0)).name) == "cube");
    CHECK(take(file.part_identity(0)).triangle_count == 12);
    CHECK(take(file.hierarchy(0, 0)).kind == BVP_KIND_WIDE);
    const bvp_instance_info placed = take(file.instance(2));
    CHECK(placed.placement[3] == 10);
    CHECK(take(file.node(placed.node)).property_count == 1);
    CHECK(take(file.property(placed.node, 0)).second == "blue");
    CHECK(take(file.colours(placed.node)).empty());
    CHECK(!bvp::find_colour({}, 0));
    std::array<float, 12 * 9> all;
    CHECK(take(file.triangles(0, {0, 12}, all)) == 12);
    std::uint64_t id = 99;
    CHECK(std::memcmp(take(file.triangle(0, 3, &id)).data(), &all[27], 36) == 0 && id < 12);
    CHECK(status_of([&] { return file.triangle(0, 12); }) == BVP_ERR_ARGUMENT);
    const std::uint64_t vertices = take(file.vertices(0, 0, {}));
    std::vector<float> positions(3 * vertices);
    CHECK(take(file.vertices(0, 0, positions)) == vertices);
    std::array<std::uint64_t, 36> used;
    CHECK(take(file.corners(0, 0, used)) == 12 && used[0] < vertices);
    DO(file.check_part(0));
    DO(file.verify());
    DO(file.verify_part(0));
    std::uint64_t boxes = 0, volumes = 0, explained = 0;
    DO(file.boxes(BVP_ASSEMBLY, UINT32_MAX, [&](const bvp_box &box) { boxes += box.leaf_count; }));
    DO(file.volumes(0, BVP_KIND_WIDE, 0, [&](const bvp_volume &) { volumes++; }));
    DO(file.annotate([&](const bvp_annotation &) { return ++explained == 5; }));
    CHECK(boxes == 3 && volumes == 1 && explained == 5);
    CHECK(take(file.buffers(0)).empty());
}

void ask_one(const bvp::file &file)
{
    const bvp::body all(file);
    const bvp_ray down = {{.25, .25, 5}, {0, 0, -1}, 0, HUGE_VAL};
    const bvp_ray_hit hit = take(all.ray_first(down));
    CHECK(hit.found && hit.t == 4 && take(all.ray_any(down)));
    int hits = 0;
    CHECK(take(all.ray_all(down, [&](const bvp_ray_hit &) { hits++; })) == 2 && hits == 2);
    const bvp_float_ray thin = {{.25F, .25F, 5}, 0, {0, 0, -1}, HUGE_VALF};
    CHECK(take(all.float_ray_first(thin)).t == 4 && take(all.float_ray_any(thin)));
    CHECK(equal(take(all.closest({.25, .25, 3})).distance, 2));
    const double lo[3] = {9, -1, -1}, hi[3] = {12, 2, 2};
    std::vector<std::uint32_t> instances(3);
    const bvp::found in = take(all.instances_in(bvp_box_region(lo, hi), true, instances));
    CHECK(in.count == 1 && in.complete && instances[0] == 2);
    CHECK(!take(all.instances_in(bvp_box_region(lo, hi), true, {})).complete);
    CHECK(take(all.overlap(bvp_box_region(lo, hi), [](const bvp_hit_id &) {})) == 12);
    const auto corner = [](const bvp_hit_id &, const double *at) { CHECK(at[0] >= 10); };
    CHECK(take(all.candidates_box({11, 0, 0}, {12, 2, 2}, corner)) >= 2);
    bvp_closest_result nearest[2];
    CHECK(take(all.nearest_instances({9, 0, 0}, HUGE_VAL, nearest)) == 2);
    CHECK(nearest[0].id.instance == 2);
    bvp_convex ball = {};
    ball.kind = BVP_CONVEX_SPHERE;
    ball.radius = 1;
    CHECK(take(all.convex_collide(ball)) && take(all.convex_within(ball, 1)));
    CHECK(equal(take(all.convex_distance(ball)).distance, 0));
    CHECK(take(all.convex_each(ball, [](const bvp_hit_id &) { return true; })) == 1);

    const bvp_ray rays[2] = {down, {{20, 0, 5}, {0, 0, -1}, 0, 9}};
    struct row { // answers in the caller's own records
        int number;
        bvp_ray_hit hit;
    } rows[2];
    DO(all.ray_first_batch(rays, bvp::strided<bvp_ray_hit>(&rows[0].hit, 2, sizeof(row))));
    CHECK(rows[0].hit.t == 4 && !rows[1].hit.found);
    std::vector<int> any(2);
    std::size_t done = 0;
    DO(all.ray_any_batch(rays, any, &done));
    CHECK(any[0] == 1 && any[1] == 0 && done == 2);
    const bvp_float_ray floats[1] = {thin};
    bvp_float_hit answered[1];
    DO(all.float_ray_first_batch(floats, answered));
    DO(all.float_ray_any_batch(floats, any));
    CHECK(answered[0].t == 4 && any[0] == 1);
    const std::vector<bvp::point> points = {{.25, .25, 3}};
    bvp_closest_result closest[1];
    DO(all.closest_batch(points, HUGE_VAL, closest));
    bvp_inside_result where[1];
    bvp_signed_result deep[1];
    DO(all.inside_batch(points, where));
    DO(all.signed_closest_batch(points, HUGE_VAL, deep));
    CHECK(where[0].where == take(all.inside({.25, .25, 3})).where);
    CHECK(deep[0].nearest.distance == take(all.signed_closest({.25, .25, 3})).nearest.distance);
    CHECK(equal(closest[0].distance, 2));
}

void ask_two(const bvp::file &file)
{
    bvp::body moving(file, 0);
    const bvp::body still(file, 0);
    moving.place(shifted(3));
    CHECK(!take(moving.collide(still)) && equal(take(moving.distance(still)).distance, 2));
    CHECK(take(moving.distance_about(still, HUGE_VAL, .1)).lower >= 1.9);
    CHECK(take(moving.within(still, 2)) && !take(moving.within(still, 1.9)));
    const auto warm = std::make_unique<bvp_warm_start>();
    CHECK(!take(moving.collide_warm(still, *warm)));
    CHECK(equal(take(moving.distance_warm(still, HUGE_VAL, *warm)).distance, 2));
    CHECK(take(moving.within_warm(still, 2.5, *warm)));
    const std::vector<bvp::placement> path = {shifted(3), shifted(.5)};
    std::vector<int> hits(2);
    DO(still.collide_batch(moving, path, hits));
    CHECK(!hits[0] && hits[1]);
    std::vector<bvp_distance_result> apart(2);
    DO(still.distance_batch(moving, path, HUGE_VAL, apart));
    CHECK(equal(apart[0].distance, 2) && equal(apart[1].distance, 0));

    moving.place(shifted(.5));
    std::vector<bvp_contact> contacts(4);
    const bvp_penetration_result deep = take(moving.penetration(still, contacts));
    CHECK(deep.depth_upper >= .5 && deep.depth <= deep.depth_upper && deep.contact_count <= 4);
    moving.place(shifted(3));
    CHECK(take(moving.penetration(still, bvp::view<bvp_contact>())).verdict == BVP_VERDICT_CLEAR);

    const bvp::body all(file);
    std::uint64_t seen = 0;
    const std::uint64_t count =
        take(all.pairs_each(bvp::itself, [&](const bvp_pair &) { seen++; }));
    CHECK(count == seen && count > 1);
    std::vector<bvp_pair> pairs(1);
    CHECK(!take(all.pairs(bvp::itself, pairs)).complete);
    bvp::filter far(file);
    far.add(2);
    DO(far.add_subtree(file, take(file.instance(0)).node));
    CHECK(!take(bvp::body(file).see(far).collide(bvp::itself)));
    far.exclude(true);
    CHECK(take(bvp::body(file).see(far).place(shifted(.1)).collide(still)));
    const bvp::control soon(1);
    CHECK(status_of([&] {
              return bvp::body(file).end_by(soon).pairs_each(bvp::itself, [](const bvp_pair &) {});
          }) == BVP_ERR_CANCELLED);
    bvp_stats stats = {};
    CHECK(take(all.collide(bvp::itself, &stats)) && stats.nodes > 0);
}

void clash(const bvp::file &file)
{
    bvp_clash_scene scene = {};
    scene.a = file.c();
    int pairs = 0;
    const auto pair = [&](const bvp_clash_pair &found) {
        CHECK(found.a == 0 && found.b == 1 && found.verdict == BVP_VERDICT_PENETRATING);
        pairs++;
    };
    const bvp_clash_coverage coverage = take(bvp::clash(scene, {}, pair));
    CHECK(pairs == 1 && coverage.verdicts[BVP_VERDICT_PENETRATING] == 1);
    bvp::clash_hooks none;
    none.rule = [](std::uint32_t, std::uint32_t, bvp_clash_limits &) { return true; };
    int told = 0;
    none.progress = [&](std::uint32_t, std::uint32_t, const bvp_clash_coverage &) {
        told++;
        return false;
    };
    CHECK(take(bvp::clash(scene, {}, pair, none)).excluded == 1 && pairs == 1 && told > 0);
    CHECK(take(bvp::clash_one(scene, 0, 1, {0, NAN, NAN}, BVP_CLASH_DISTANCE)).depth > 0);
    bvp_clash_zone zone = {};
    zone.shape.kind = BVP_CONVEX_SPHERE;
    zone.shape.radius = 20;
    CHECK(take(bvp::clash_one(file, 2, zone, {0, NAN, NAN}, BVP_CLASH_VERDICTS)).verdict ==
          BVP_VERDICT_ENCLOSED);
    CHECK(take(bvp::clash_share(scene, {}, 0, 1)).size() == 1);
    CHECK(bvp::clash_touch_gap(file.c()) >= bvp::clash_coordinate_gap(file.c()));
    CHECK(std::string_view(bvp::name(BVP_VERDICT_CLEAR)) == "clear");
}

void broad(const bvp::file &file)
{
    bvp::broad phase = take(bvp::broad::make());
    const bvp_broad_id a = take(phase.add(bvp::body(file, 0)));
    const bvp_broad_id b = take(phase.add(bvp::body(file, 0).place(shifted(5))));
    CHECK(take(phase.update()).begun_count == 0);
    DO(phase.move(b, shifted(.5)));
    CHECK(take(phase.update()).begun_count == 1 && take(phase.pairs()).size() == 1);
    const std::vector<bvp_broad_id> ids = {a, b};
    const std::vector<bvp::placement> to = {shifted(0), shifted(7)};
    std::uint64_t moved = 0;
    DO(phase.move(ids, to, &moved));
    CHECK(moved == 2 && take(phase.update()).ended_count == 1);
    CHECK(take(phase.box(b)).first[0] <= 7 && take(phase.get(b)).body.part == 0);
    std::vector<bvp_broad_id> near(2);
    CHECK(take(phase.in_box({6, 0, 0}, {9, 1, 1}, near)).count == 1 && near[0] == b);
    CHECK(take(phase.near(bvp::body(file, 0), near)).count == 1);
    DO(phase.replace(b, bvp::body(file, 0)));
    DO(phase.remove(a));
    CHECK(status_of([&] { return phase.move(a, shifted(0)); }) == BVP_ERR_ARGUMENT);
}

void change(const std::string &path, const std::string &folder)
{
    bvp_open_options options = {};
    options.overlay = 1;
    bvp::file file = take(bvp::file::open(path, options));
    std::vector<float> positions(3 * take(file.vertices(0, 0, {})));
    DO(file.vertices(0, 0, positions));
    for (float &x : positions)
        x *= 2;
    DO(file.refit(0, positions));
    CHECK(equal(take(bvp::body(file, 0).closest({1, 1, 5})).distance, 3));
    DO(file.save(folder + "/larger.bvp"));
    bvp::file moved = std::move(file);
    CHECK(take(moved.provenance()).empty() || take(moved.provenance()).front() == '{');
    CHECK(take(bvp::file::open(folder + "/larger.bvp")).info().hi[1] == 2);
    const bvp_mesh mesh = cube();
    const bvp::welded welded = take(bvp::weld(mesh));
    CHECK(welded.vertex_count == 8 && welded.indices[0] == 0);
    CHECK(take(bvp::find_strays(mesh)).group_count == 1);
    const std::vector<bvp::point> cloud = {
        {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {.1, .1, .1}};
    CHECK(take(bvp::hull_points(cloud)).size() == 4);
}

#if BVP_HPP_CATCHES
// Each kind of callable throws once; none of these exceptions may be lost, or end the program.
void throw_everywhere(const std::string &path, const std::string &folder)
{
    const bvp::file file = take(bvp::file::open(path));
    const bvp::body all(file);
    const auto bomb = [](const auto &...) { throw thrown(); };
    const double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1};
    CHECK(throws([&] { return all.pairs_each(bvp::itself, bomb); }));
    CHECK(throws([&] { return all.overlap(bvp_box_region(lo, hi), bomb); }));
    CHECK(throws([&] { return all.candidates_box({0, 0, 0}, {1, 1, 1}, bomb); }));
    CHECK(throws([&] { return all.ray_all({{.2, .2, 5}, {0, 0, -1}, 0, 9}, bomb); }));
    CHECK(throws([&] { return file.volumes(0, BVP_KIND_WIDE, 0, bomb); }));
    CHECK(throws([&] { return file.annotate(bomb); }));
    bvp_clash_scene scene = {};
    scene.a = file.c();
    CHECK(throws([&] { return bvp::clash(scene, {}, bomb); }));
    bvp::clash_hooks hooks;
    hooks.rule = [](std::uint32_t, std::uint32_t, bvp_clash_limits &) -> bool { throw thrown(); };
    CHECK(throws([&] {
        return bvp::clash(
            scene, {}, [](const bvp_clash_pair &) {}, hooks);
    }));
    const bvp::control ends([]() -> bool { throw thrown(); });
    CHECK(throws([&] { return bvp::body(file).end_by(ends).collide(bvp::itself); }));
    CHECK(take(all.collide(bvp::itself))); // and nothing is left of it

    bvp::build_hooks progress;
    progress.progress = [](const char *, std::uint64_t, std::uint64_t) { throw thrown(); };
    CHECK(throws([&] {
        bvp::builder builder = take(bvp::builder::make({}, progress));
        DO(builder.add_part(cube()));
        return builder.finish(folder + "/never.bvp");
    }));
    CHECK(access((folder + "/never.bvp").c_str(), F_OK) != 0);
    bvp::builder builder = take(bvp::builder::make());
    const auto no_stream = [](void *, std::uint32_t *, std::uint32_t) -> std::uint32_t {
        throw thrown();
    };
    CHECK(throws([&] { return builder.add_stream({}, no_stream); }));
}
#endif
} // namespace

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    const std::string folder = argv[1], path = folder + "/cubes.bvp";
    write_cubes(path);
    stream_part(folder);
    open_all_ways(path);
    const bvp::file file = take(bvp::file::open(path));
    look_inside(file);
    ask_one(file);
    ask_two(file);
    clash(file);
    broad(file);
    change(path, folder);
#if BVP_HPP_CATCHES
    throw_everywhere(path, folder);
#endif
    const unsigned char none[1] = {0};
    CHECK(bvp::hash({none, 0})[0] != 0 || bvp::hash(none)[0] != 0);
    return 0;
}
