# SPDX-License-Identifier: MIT
EXTRA_DIST += \
	tools/wasm/README.md \
	tools/wasm/bindings.c \
	tools/wasm/bytes.mjs \
	tools/wasm/engine.mjs \
	tools/wasm/errors.mjs \
	tools/wasm/index.d.ts \
	tools/wasm/index.mjs \
	tools/wasm/module.mjs \
	tools/wasm/package.json \
	tools/wasm/size.sh \
	tools/wasm/wasm.mk \
	tools/wasm/worker.mjs
