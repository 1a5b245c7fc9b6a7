# cmake --install: tools (component runtime), libraries, headers and the CMake package (devel),
# documents and examples (doc).
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/ DESTINATION include/hlokit COMPONENT devel
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "testing" EXCLUDE
  PATTERN "operation_examples.h" EXCLUDE)
install(EXPORT hlokit-targets NAMESPACE hlokit:: DESTINATION lib/cmake/hlokit COMPONENT devel)
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/hlokit-config.cmake.in ${PROJECT_BINARY_DIR}/hlokit-config.cmake
  INSTALL_DESTINATION lib/cmake/hlokit)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/hlokit-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/hlokit-config.cmake
  ${PROJECT_BINARY_DIR}/hlokit-config-version.cmake
  DESTINATION lib/cmake/hlokit COMPONENT devel)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION share/doc/hlokit COMPONENT doc)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION share/doc/hlokit COMPONENT doc)
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION share/doc/hlokit COMPONENT doc)
