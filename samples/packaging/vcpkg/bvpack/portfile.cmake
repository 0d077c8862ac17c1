# SPDX-License-Identifier: MIT
# An overlay port, which builds the sources that it lies in: vcpkg install bvpack --overlay-ports=samples/packaging/vcpkg
# For vcpkg's own registry the next line becomes vcpkg_from_github().
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)

vcpkg_configure_make(
  SOURCE_PATH "${SOURCE_PATH}"
  AUTOCONFIG
  OPTIONS --without-npm)
vcpkg_install_make()
vcpkg_fixup_pkgconfig()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/bvpack)
vcpkg_copy_tools(TOOL_NAMES bvpack AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
