#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs the suite of one test file, tests/FOLDER/test_x.c, by its folder's program in the build directory, or by
# $BVP_SUITES, a program of some suites.
folder=$(basename "$(dirname "$1")")
exec "${BVP_SUITES:-tests/$folder/${folder}_tests}" "$1"
