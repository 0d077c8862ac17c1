# SPDX-License-Identifier: MIT
# The reader for browsers and node: wasm/bvpack in the build folder. Called by `make wasm`, which gives srcdir and SOURCES.
# For GNU make.
EMCC = emcc
# wide, or all kinds of hierarchies: those that wide replaces, for files that were packed with them alone;
# the module is then a seventh larger
WASM_KINDS = wide
# zstd's source folder with common/ and decompress/, which is no package of Debian's; without it provenance that
# an earlier writer compressed cannot be read, and says so
ZSTD_SOURCE =
# where xxhash.h is; copied, because the rest of that folder is not for this compiler
XXHASH_INCLUDE = /usr/include

ESBUILD = wasm/node_modules/.bin/esbuild
KIND_KERNELS = $(filter libfmt/kinds/query/%_kernel.c,$(SOURCES))
LEFT_OUT = libfmt/format/check/% libfmt/publish/% libfmt/refit/% libfmt/query/warm/% libfmt/query/api_warm.c \
  $(if $(filter wide,$(WASM_KINDS)),$(KIND_KERNELS))
READER = $(filter-out $(LEFT_OUT),$(SOURCES))
OBJECTS = $(READER:%.c=wasm/objects/%.o) wasm/objects/tools/wasm/bindings.o
ZSTD_OBJECTS = $(if $(ZSTD_SOURCE),$(patsubst $(ZSTD_SOURCE)/%.c,wasm/objects/zstd/%.o,\
  $(wildcard $(ZSTD_SOURCE)/common/*.c $(ZSTD_SOURCE)/decompress/*.c)))
PACKAGE = bytes.mjs engine.mjs errors.mjs index.d.ts index.mjs module.mjs package.json README.md three.d.ts three.mjs worker.mjs

# what is measured in spec/decisions.md, "In the browser"; all else is compiled to be small, for a page waits for it
HOT = libfmt/query/ray/ray_kernel libfmt/query/ray/ray_packet_kernel libfmt/query/ray/ray_query \
  libfmt/query/near/closest_kernel libfmt/query/near/closest libfmt/query/body/placed_body \
  libfmt/query/pair/pair_leaf_kernel \
  libfmt/format/record libfmt/prim/point_tri libfmt/prim/pose libfmt/prim/tri_dist_exact libfmt/prim/tri_ray
optimisation = $(if $(filter $(HOT),$*),-O2,-Os -DBVPI_SMALL)

HOUSE = -std=gnu11 -msimd128 -mbulk-memory -msign-ext -mnontrapping-fptoint -fno-math-errno -Wall -Wextra -ffp-contract=off -fvisibility=hidden -ffunction-sections \
  -fdata-sections -DNDEBUG
HOUSE += -DBVP_BUILDING -DBVPI_ISA=base -DBVPI_ONE_ISA -DBVPI_WITHOUT_WARM -DBVPI_WITHOUT_ISOLATED -DXXH_INLINE_ALL
# batches keep more than a thread's stack should hold elsewhere: 330, 196 and 112 KiB of the stack below
HOUSE += -DBVPI_KEPT_LEAF_BITS=10 -DBVPI_LEAF_BITS=9 -DBVPI_KEPT_PART_BITS=7
HOUSE += $(if $(filter wide,$(WASM_KINDS)),-DBVPI_WIDE_ONLY -DBVPI_WIDE_ALONE)
HOUSE += $(if $(ZSTD_SOURCE),-I$(ZSTD_SOURCE),-DBVPI_WITHOUT_ZSTD)
LINK = -Oz -msimd128 -sMALLOC=emmalloc --no-entry -sSTANDALONE_WASM -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB -sTOTAL_STACK=1MB \
  -sERROR_ON_UNDEFINED_SYMBOLS=0 -sWARN_ON_UNDEFINED_SYMBOLS=0 -Wl,--gc-sections

FLAGS = $(HOUSE) $(value optimisation) $(HOT) $(LINK)

all: wasm/bvpack/bvpack.wasm $(PACKAGE:%=wasm/bvpack/%)

wasm/bvpack/bvpack.wasm: wasm/flags $(OBJECTS) $(ZSTD_OBJECTS)
	@mkdir -p $(@D)
	$(EMCC) $(LINK) $(OBJECTS) $(ZSTD_OBJECTS) -o $@
	$(SHELL) $(srcdir)/tools/wasm/size.sh $@ $(if $(filter wide,$(WASM_KINDS)$(ZSTD_SOURCE)),229000)

wasm/bvpack/%.mjs: $(srcdir)/tools/wasm/%.mjs wasm/minifier
	@mkdir -p $(@D)
	if [ "$$(cat wasm/minifier)" = $(ESBUILD) ]; then $(ESBUILD) --minify --target=es2022 --charset=utf8 <$< >$@; else cp $< $@; fi

wasm/bvpack/%: $(srcdir)/tools/wasm/%
	@mkdir -p $(@D)
	cp $< $@

# esbuild, which the viewer has too; without it scripts stay as they are written, 7 KB more
wasm/minifier: FORCE
	@$(SHELL) $(srcdir)/tools/viewer/npm.sh $(srcdir)/tools/html wasm '$(NPM)' || true
	@if [ -x $(ESBUILD) ]; then echo $(ESBUILD); else echo cp; fi >$@.new
	@cmp -s $@.new $@ || cp $@.new $@

wasm/include/xxhash.h: $(XXHASH_INCLUDE)/xxhash.h
	@mkdir -p wasm/include
	cp $< $@

wasm/objects/%.o: $(srcdir)/%.c wasm/flags wasm/include/xxhash.h
	@mkdir -p $(@D)
	$(EMCC) $(optimisation) $(HOUSE) -I$(srcdir)/libfmt -Iwasm/include -MMD -MP -c $< -o $@

wasm/objects/zstd/%.o: $(ZSTD_SOURCE)/%.c wasm/flags
	@mkdir -p $(@D)
	$(EMCC) -O2 -ffunction-sections -DZSTD_DISABLE_ASM -DXXH_NAMESPACE=ZSTD_ -I$(ZSTD_SOURCE) -c $< -o $@

# what all objects depend on: changes when the flags do
wasm/flags: FORCE
	@mkdir -p wasm
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' >$@

.PHONY: all FORCE
-include $(OBJECTS:.o=.d)
