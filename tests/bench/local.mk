# SPDX-License-Identifier: MIT
noinst_HEADERS += \
	tests/bench/bench.h \
	tests/bench/bench_rounds.h \
	tests/bench/bench_scene.h \
	tests/bench/peer.h \
	tests/bench/peer_bullet.h \
	tests/bench/peer_fcl.h
