/* SPDX-License-Identifier: MIT
 * peer_none.c: stands in for the peers that are not installed.
 */
#include "peer.h"

#if !BENCH_HAVE_FCL
const peer_pairs *const peer_fcl = 0, *const peer_fcl_rss = 0;
const peer_manager *const peer_fcl_manager = 0;
const peer_boxes *const peer_fcl_refitted = 0, *const peer_fcl_inserted = 0;
const peer_convex *const peer_fcl_convex = 0;
#endif
#if !BENCH_HAVE_PQP
const peer_pairs *const peer_pqp = 0;
#endif
#if !BENCH_HAVE_CGAL
const peer_pairs *const peer_cgal = 0;
const peer_rays *const peer_cgal_rays = 0;
#endif
#if !BENCH_HAVE_BULLET
const peer_pairs *const peer_bullet = 0;
const peer_convex *const peer_bullet_convex = 0;
#endif
#if !BENCH_HAVE_ODE
const peer_pairs *const peer_ode = 0;
#endif
#if !BENCH_HAVE_EMBREE
const peer_rays *const peer_embree = 0;
#endif
