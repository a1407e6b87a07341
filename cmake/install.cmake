# SPDX-License-Identifier: Apache-2.0
#
# The library that users load, and what `cmake --install build/release --prefix DIR` puts where.
include(GNUInstallDirs)

# Only the C ABI is visible: everything else is compiled with hidden visibility.
add_library(ringmaster_shared SHARED cmake/empty.cc)
add_dependencies(ringmaster_shared collectives worker storage_layout)
target_link_libraries(ringmaster_shared PRIVATE
  -Wl,--whole-archive $<TARGET_FILE:collectives> $<TARGET_FILE:worker> -Wl,--no-whole-archive
  storage_layout base fmt::fmt Threads::Threads)
set_target_properties(ringmaster_shared PROPERTIES OUTPUT_NAME ringmaster VERSION ${PROJECT_VERSION}
  SOVERSION 0 EXPORT_NAME ringmaster)
target_include_directories(ringmaster_shared INTERFACE
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/ringmaster>)
target_compile_features(ringmaster_shared INTERFACE cxx_std_20)

set(RINGMASTER_HEADERS
  base/check.h base/result.h collectives/ringmaster_collectives.h collectives/ringmaster_async.h
  collectives/ringmaster_memory.h collectives/ringmaster_tensors.h
  worker/ringmaster_session.h worker/elements.h worker/work.h worker/started.h worker/tensors.h
  worker/communicator.h worker/session.h)
foreach(header ${RINGMASTER_HEADERS})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ringmaster/${folder})
endforeach()
install(TARGETS ringrun ringmaster ringmaster-train)
install(TARGETS ringmaster_shared EXPORT ringmaster)

# For CMake's find_package(ringmaster), and for pkg-config.
include(CMakePackageConfigHelpers)
set(RINGMASTER_PACKAGE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/ringmaster)
configure_package_config_file(cmake/ringmaster-config.cmake.in ringmaster-config.cmake
  INSTALL_DESTINATION ${RINGMASTER_PACKAGE_FOLDER})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/ringmaster-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/ringmaster-config.cmake
  ${CMAKE_BINARY_DIR}/ringmaster-config-version.cmake DESTINATION ${RINGMASTER_PACKAGE_FOLDER})
install(EXPORT ringmaster NAMESPACE ringmaster:: FILE ringmaster-targets.cmake
  DESTINATION ${RINGMASTER_PACKAGE_FOLDER})
# The prefix as seen from the file: lib/pkgconfig, or a folder deeper where lib has one a machine.
file(RELATIVE_PATH RINGMASTER_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" RINGMASTER_PREFIX_FROM_PC ${RINGMASTER_PREFIX_FROM_PC})
configure_file(cmake/ringmaster.pc.in ringmaster.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/ringmaster.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES examples/elastic.cc examples/elastic.c examples/tensors.c examples/started.cc
  DESTINATION ${CMAKE_INSTALL_DATADIR}/ringmaster/examples)
install(FILES cmake/examples.cmake RENAME CMakeLists.txt
  DESTINATION ${CMAKE_INSTALL_DATADIR}/ringmaster/examples)
