// SPDX-License-Identifier: MIT
// clashes: what clashes in an assembly, or is nearer than a clearance, worst first: bvp_clash, in
// C++. Usage: clashes FILE.bvp [CLEARANCE]
#include <bvpack.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

// The name of the product node that bears an instance.
static std::string name_of(const bvp::file &file, std::uint32_t instance)
{
    return std::string(bvp::text(file.node(file.instance(instance).node).name));
}

static void report(const bvp::file &file, double clearance)
{
    bvp_clash_scene scene = {};
    scene.a = file.c();
    bvp_clash_options options = {};
    options.limits = {clearance, NAN, NAN};
    std::vector<bvp_clash_pair> pairs;
    const bvp_clash_coverage coverage =
        bvp::clash(scene, options, [&](const bvp_clash_pair &pair) { pairs.push_back(pair); });
    std::stable_sort(pairs.begin(), pairs.end(), [](const auto &a, const auto &b) {
        return a.depth != b.depth ? a.depth > b.depth : a.distance < b.distance;
    });
    for (std::size_t k = 0; k < pairs.size() && k < 10; k++) {
        const bvp_clash_pair &p = pairs[k];
        std::printf("%s and %s: %s, depth %g, distance %g, near %g %g %g\n",
                    name_of(file, p.a).c_str(), name_of(file, p.b).c_str(), bvp::name(p.verdict),
                    p.depth, p.distance, p.point_a[0], p.point_a[1], p.point_a[2]);
    }
    std::printf("%zu of %llu pairs whose boxes are near are not clear\n", pairs.size(),
                static_cast<unsigned long long>(coverage.box_pairs));
    // the same pair by its numbers has the same verdict
    for (const bvp_clash_pair &p : pairs)
        if (bvp::clash_one(scene, p.a, p.b, p.limits, options.detail).verdict != p.verdict)
            throw bvp::error(BVP_ERR_CORRUPT);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "usage: clashes FILE.bvp [CLEARANCE]\n");
        return 2;
    }
    try {
        report(bvp::file::open(argv[1]), argc > 2 ? std::strtod(argv[2], nullptr) : 0);
    } catch (const bvp::error &failure) {
        std::fprintf(stderr, "clashes: %s\n", failure.what());
        return 1;
    }
    return 0;
}
