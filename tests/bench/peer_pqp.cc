// SPDX-License-Identifier: MIT
// peer_pqp.cc: PQP's trees of OBB (collide) and RSS (distance, tolerance). Its answers are exact up
// to rounding, as are the other peers'.
#include "peer.h"

#if BENCH_HAVE_PQP
#include <PQP.h>

namespace
{
struct Place {
    PQP_REAL turn[3][3], move[3];

    explicit Place(const double m[12])
    {
        for (int row = 0; row < 3; row++) {
            for (int column = 0; column < 3; column++)
                turn[row][column] = m[4 * row + column];
            move[row] = m[4 * row + 3];
        }
    }
};

const double nowhere[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

void *make(const float *positions, uint64_t triangle_count)
{
    PQP_Model *model = new PQP_Model;
    model->BeginModel(static_cast<int>(triangle_count));
    for (uint64_t i = 0; i < triangle_count; i++) {
        PQP_REAL corners[3][3];
        for (int k = 0; k < 9; k++)
            corners[k / 3][k % 3] = positions[9 * i + k];
        model->AddTri(corners[0], corners[1], corners[2], static_cast<int>(i));
    }
    model->EndModel();
    return model;
}

void drop(void *model)
{
    delete static_cast<PQP_Model *>(model);
}

// queries remember in a model what they found
PQP_Model *get(const void *model)
{
    return static_cast<PQP_Model *>(const_cast<void *>(model));
}

int collide_placed(const void *a, const double at_a[12], const void *b, const double at_b[12])
{
    Place pa(at_a), pb(at_b);
    PQP_CollideResult result;
    PQP_Collide(&result, pa.turn, pa.move, get(a), pb.turn, pb.move, get(b), PQP_FIRST_CONTACT);
    return result.Colliding();
}

int collide(const void *a, const void *b, const double placement[12])
{
    return collide_placed(a, nowhere, b, placement);
}

uint64_t pairs(const void *a, const void *b, const double placement[12], peer_pair_fn callback,
               void *user)
{
    Place pa(nowhere), pb(placement);
    PQP_CollideResult result;
    PQP_Collide(&result, pa.turn, pa.move, get(a), pb.turn, pb.move, get(b), PQP_ALL_CONTACTS);
    for (int i = 0; callback && i < result.NumPairs(); i++)
        callback(user, static_cast<uint64_t>(result.Id1(i)), static_cast<uint64_t>(result.Id2(i)));
    return static_cast<uint64_t>(result.NumPairs());
}

double distance_placed(const void *a, const double at_a[12], const void *b, const double at_b[12])
{
    Place pa(at_a), pb(at_b);
    PQP_DistanceResult result;
    PQP_Distance(&result, pa.turn, pa.move, get(a), pb.turn, pb.move, get(b), 0, 0);
    return result.Distance();
}

double distance(const void *a, const void *b, const double placement[12])
{
    return distance_placed(a, nowhere, b, placement);
}

int within(const void *a, const void *b, const double placement[12], double limit)
{
    Place pa(nowhere), pb(placement);
    PQP_ToleranceResult result;
    PQP_Tolerance(&result, pa.turn, pa.move, get(a), pb.turn, pb.move, get(b), limit);
    return result.CloserThanTolerance();
}

const peer_pairs pqp = {"PQP",           make,   drop,   collide, pairs, distance, collide_placed,
                        distance_placed, within, nullptr};
} // namespace

const peer_pairs *const peer_pqp = &pqp;
#endif
