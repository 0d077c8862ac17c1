# SPDX-License-Identifier: MIT
# nix-build samples/packaging/nix ; for nixpkgs `src` becomes fetchurl of a release's archive
{ pkgs ? import <nixpkgs> { } }:
with pkgs;
stdenv.mkDerivation {
  pname = "bvpack";
  version = "0.1.0";
  src = ../../..;
  nativeBuildInputs = [ autoreconfHook pkg-config ];
  buildInputs = [ curl expat jansson libpng libsodium libzip meshoptimizer opencascade-occt qhull xxHash zstd ];
  configureFlags = [ "--without-npm" "--enable-rpath" "OCCT_CPPFLAGS=-isystem${opencascade-occt}/include/opencascade" ];
  enableParallelBuilding = true;
  outputs = [ "out" "dev" "doc" ];
  meta = {
    description = "Collision, distance, ray and closest-point queries on mapped files of packed CAD models";
    license = lib.licenses.mit;
    platforms = lib.platforms.linux;
  };
}
