# SPDX-License-Identifier: Apache-2.0
#
# ringmaster-pmix: the PMIx server that Open MPI programs find under ringrun, a program of its own
# (launcher/pmix/ringmaster_pmix_main.cc). Built where libpmix's headers are; nothing else links it.
# Debian keeps each version of it in a folder of its own.
find_path(RINGMASTER_PMIX_INCLUDE pmix_server.h
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/pmix2/include PATH_SUFFIXES pmix)
find_library(RINGMASTER_PMIX_LIBRARY pmix)
set(RINGMASTER_PMIX_FOUND OFF)
if(RINGMASTER_PMIX_INCLUDE AND RINGMASTER_PMIX_LIBRARY)
  set(RINGMASTER_PMIX_FOUND ON)
endif()
option(RINGMASTER_PMIX "build the PMIx server for Open MPI programs" ${RINGMASTER_PMIX_FOUND})
if(NOT RINGMASTER_PMIX)
  return()
endif()
if(NOT RINGMASTER_PMIX_FOUND)
  message(FATAL_ERROR "RINGMASTER_PMIX: libpmix is not found (Debian: libpmix-dev)")
endif()

add_executable(ringmaster-pmix launcher/pmix/ringmaster_pmix_main.cc launcher/pmix/job_server.cc
  launcher/pmix/server_calls.cc launcher/pmix/report_writer.cc)
target_include_directories(ringmaster-pmix SYSTEM PRIVATE ${RINGMASTER_PMIX_INCLUDE}
  ${RINGMASTER_PMIX_INCLUDE}/pmix)
target_link_libraries(ringmaster-pmix PRIVATE base ${RINGMASTER_PMIX_LIBRARY})
install(TARGETS ringmaster-pmix)
set(RINGMASTER_PMIX_SERVER ringmaster-pmix)
