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
  SOVERSION 0)

set(RINGMASTER_HEADERS
  base/check.h base/result.h collectives/ringmaster_collectives.h collectives/ringmaster_async.h
  collectives/ringmaster_tensors.h
  worker/ringmaster_session.h worker/elements.h worker/work.h worker/started.h worker/tensors.h
  worker/communicator.h worker/session.h)
foreach(header ${RINGMASTER_HEADERS})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ringmaster/${folder})
endforeach()
install(TARGETS ringrun ringmaster ringmaster-train ringmaster_shared)
configure_file(cmake/ringmaster.pc.in ringmaster.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/ringmaster.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES examples/elastic.cc examples/elastic.c
  DESTINATION ${CMAKE_INSTALL_DATADIR}/ringmaster/examples)
