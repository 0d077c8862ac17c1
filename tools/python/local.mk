# SPDX-License-Identifier: MIT
PYTHON_FILES += \
	tools/python/MANIFEST.in \
	tools/python/README.md \
	tools/python/build.sh \
	tools/python/bvpack_cffi.py \
	tools/python/cross_wheel.sh \
	tools/python/header_cdef.py \
	tools/python/make_wheel.py \
	tools/python/pyproject.toml \
	tools/python/python_calls.c \
	tools/python/sdist.sh \
	tools/python/setup.py \
	tools/python/wheel.sh \
	tools/python/bvpack/__init__.py \
	tools/python/bvpack/_answers.py \
	tools/python/bvpack/_arrays.py \
	tools/python/bvpack/_body.py \
	tools/python/bvpack/_broad.py \
	tools/python/bvpack/_clash.py \
	tools/python/bvpack/_errors.py \
	tools/python/bvpack/_file.py \
	tools/python/bvpack/_hulls.py \
	tools/python/bvpack/_interrupt.py \
	tools/python/bvpack/_native.pyi \
	tools/python/bvpack/_pack.py \
	tools/python/bvpack/_picture.py \
	tools/python/bvpack/_solids.py \
	tools/python/bvpack/_types.py \
	tools/python/bvpack/fcl.py \
	tools/python/bvpack/py.typed \
	tools/python/bvpack/raycasting.py \
	tools/python/bvpack/trimesh.py
