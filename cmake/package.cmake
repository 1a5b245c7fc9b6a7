# A Debian package of everything that is installed: ./dev package.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hlokit)
set(CPACK_PACKAGE_CONTACT "hlokit developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tools and libraries for XLA's HLO text")
set(CPACK_PACKAGE_DESCRIPTION
  "Runs, checks, formats, analyses and draws XLA's textual HLO, the form in which\n JAX, TensorFlow and PyTorch/XLA show their programs. With C++ libraries.")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/package)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(HLOKIT_DNNL_INCLUDE)
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libdnnl2)  # loaded on first use, so that nobody sees it
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
  "graphviz, g++, cmake, pkg-config, libabsl-dev, libfmt-dev, libre2-dev, libhwy-dev, nlohmann-json3-dev, zlib1g-dev")
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)  # xz takes ten times as long
include(CPack)
