# SPDX-License-Identifier: MIT
# HOMEBREW_BVPACK_ARCHIVE=$PWD/bvpack-0.1.0.tar.xz brew install --formula samples/packaging/homebrew/bvpack.rb
# where `make dist` made the archive. For homebrew-core the url is that of the release, with its sha256.
class Bvpack < Formula
  desc "Collision, distance and ray queries on mapped files of packed CAD models"
  homepage "https://bvpack.example"
  url "file://#{ENV.fetch("HOMEBREW_BVPACK_ARCHIVE", "/tmp/bvpack-0.1.0.tar.xz")}"
  version "0.1.0"
  license "MIT"

  depends_on "pkgconf" => :build
  depends_on "jansson"
  depends_on "libpng"
  depends_on "libsodium"
  depends_on "libzip"
  depends_on "meshoptimizer"
  depends_on "opencascade"
  depends_on "qhull"
  depends_on "xxhash"
  depends_on "zstd"

  uses_from_macos "curl"
  uses_from_macos "expat"

  def install
    system "./configure", "--without-npm", *std_configure_args,
           "OCCT_CPPFLAGS=-isystem #{Formula["opencascade"].opt_include}/opencascade"
    system "make"
    system "make", "install"
    pkgshare.install "samples/models/plate_holes.STL"
  end

  test do
    system bin/"bvpack", "#{pkgshare}/plate_holes.STL", "-q", "-o", "plate.bvp"
    system bin/"bvpack", "verify", "plate.bvp"
  end
end
