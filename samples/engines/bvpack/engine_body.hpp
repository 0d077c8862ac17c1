// SPDX-License-Identifier: MIT
// engine_body.hpp: what the adapters to engines share: a body, its bounds, its triangles in a box.
#ifndef BVPACK_ENGINE_BODY_HPP
#define BVPACK_ENGINE_BODY_HPP

#include <bvpack.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace bvp
{

// Row-major 3x4, as of bvp_body.
using affine = std::array<double, 12>;

// First b, then a.
inline affine composed(const affine &a, const affine &b)
{
    affine out;
    for (std::size_t i = 0; i < 3; i++)
        for (std::size_t j = 0; j < 4; j++) {
            out[4 * i + j] = j == 3 ? a[4 * i + 3] : 0;
            for (std::size_t k = 0; k < 3; k++)
                out[4 * i + j] += a[4 * i + k] * b[4 * k + j];
        }
    return out;
}

// A body of bvpack.h in an engine's local coordinates: its placement, which is copied, maps to
// these (a scale, another unit), and the engine moves the object. File and filter stay the
// caller's, and must outlive it. An engine's callback has no way to fail: a query that fails, on a
// damaged file, gives no triangles, and status() says why.
class engine_body
{
    bvp_body body_;
    affine given_ = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, placement_;
    std::array<double, 3> lo_ = {}, hi_ = {};
    mutable std::atomic<bvp_status> status_{BVP_OK};

    void bound(const double lo[3], const double hi[3])
    {
        lo_.fill(HUGE_VAL);
        hi_.fill(-HUGE_VAL);
        for (unsigned corner = 0; corner < 8; corner++)
            for (std::size_t k = 0; k < 3; k++) {
                const double *row = &placement_[4 * k];
                double x = row[3], size = std::fabs(row[3]);
                for (unsigned j = 0; j < 3; j++) {
                    const double part = row[j] * (corner >> j & 1 ? hi[j] : lo[j]);
                    x += part;
                    size += std::fabs(part);
                }
                lo_[k] = std::fmin(lo_[k], x - 1e-15 * size); // more than the sum's rounding
                hi_[k] = std::fmax(hi_[k], x + 1e-15 * size);
            }
    }
    void find_bounds()
    {
        if (body_.part == BVP_ASSEMBLY) {
            bvp_file_info info;
            bvp_get_info(body_.file, &info);
            bound(info.lo, info.hi);
            return;
        }
        bvp_part_info info = {};
        note(bvp_get_part(body_.file, body_.part, &info));
        const double lo[3] = {info.lo[0], info.lo[1], info.lo[2]};
        const double hi[3] = {info.hi[0], info.hi[1], info.hi[2]};
        bound(lo, hi);
    }

  public:
    explicit engine_body(const bvp_body &body) : body_(body)
    {
        if (body.placement)
            std::memcpy(given_.data(), body.placement, sizeof given_);
        placement_ = given_;
        find_bounds();
    }
    engine_body(const engine_body &) = delete;
    engine_body &operator=(const engine_body &) = delete;

    // Scales the engine's local coordinates. Not while a query runs.
    void scale(double x, double y, double z)
    {
        placement_ = composed({x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0}, given_);
        find_bounds();
    }
    const affine &placement() const
    {
        return placement_;
    }
    // As queries take it, where it is; the identity is left out, which makes queries faster.
    bvp_body c() const
    {
        return c(placement_);
    }
    // The same elsewhere; `placement` stays while it is used.
    bvp_body c(const affine &placement) const
    {
        bvp_body out = body_;
        const affine identity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        out.placement = placement == identity ? nullptr : placement.data();
        return out;
    }
    const double *lo() const // no coordinate is below it
    {
        return lo_.data();
    }
    const double *hi() const
    {
        return hi_.data();
    }

    // BVP_OK, or how the last query that failed has failed.
    bvp_status status() const
    {
        return status_;
    }
    bool note(bvp_status status) const
    {
        if (status != BVP_OK)
            status_ = status;
        return status == BVP_OK;
    }

    // Calls f(id, corners) for each triangle that touches the box, and some beside it: corners are
    // 3 x 3 doubles. f may not throw.
    template <class F> void each(const double lo[3], const double hi[3], F &&f) const
    {
        using callable = std::remove_reference_t<F>;
        const auto call = [](void *user, const bvp_hit_id *id, const double corners[9]) noexcept {
            (*static_cast<callable *>(user))(*id, corners);
            return 0;
        };
        const bvp_body body = c();
        std::uint64_t count = 0;
        note(bvp_candidates_box(&body, lo, hi, call, &f, &count, nullptr));
    }
};

} // namespace bvp

#endif
