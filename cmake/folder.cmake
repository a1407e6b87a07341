# SPDX-License-Identifier: Apache-2.0
#
# ringmaster_folder(a/b LINK x y): the library a_b from a/b/**, its test program a_b_tests, and one
# program for each *_main.cc. Folders that are registered on their own are left out of their
# parents.
set(RINGMASTER_OWN_FOLDERS collectives/mpi launcher/commands launcher/control
  launcher/doctor launcher/host launcher/pmix worker/training jobs/core jobs/simulator
  jobs/spec jobs/wire jobs/coordinator storage/layout tests/end_to_end tests/fakes tests/fuzz
  tests/storm tests/tidy topology/read topology/detect)

set(RINGMASTER_TEST_DEFINITIONS
  RINGMASTER_SOURCE_DIR="${CMAKE_SOURCE_DIR}" RINGMASTER_BINARY_DIR="${CMAKE_BINARY_DIR}/bin")

# Most of the time of a build is spent on reading the same headers: precompiled once for libraries
# and once for test programs, they take a third of it. The debug preset goes without, so that a
# missing include is seen.
option(RINGMASTER_PRECOMPILE "precompile common headers" ON)
# Several files are compiled as one: their headers are read once, which takes another half. So the
# helpers of a library's files have names of their own (tests/tidy looks). Files that cannot be with
# others stay alone, and fuzz targets, which all look alike. The debug preset goes without: it
# compiles what was changed.
option(RINGMASTER_UNITY "compile several files as one" OFF)
set(RINGMASTER_UNITY_FILES 6)
set(RINGMASTER_ALONE launcher/output/sink.cc storage/file/file_store.cc
  net/timer.cc)  # the only one of net that ringrun needs
function(ringmaster_unity target folder)
  if(NOT RINGMASTER_UNITY OR folder STREQUAL "tests/fuzz")
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON
    UNITY_BUILD_BATCH_SIZE ${RINGMASTER_UNITY_FILES})
endfunction()
set_source_files_properties(${RINGMASTER_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# Test programs' own files: much to compile, little to run. Optimised for the compiler, and
# undefined behaviour is looked for in what they call.
set(RINGMASTER_TEST_FLAGS $<$<CONFIG:Release>:-O1>)
if(RINGMASTER_SANITIZE MATCHES undefined)
  list(APPEND RINGMASTER_TEST_FLAGS -fno-sanitize=undefined)
endif()

# Folders that speak to sockets or write JSON have a second one with those libraries' heavy headers.
set(RINGMASTER_HEAVY_FOLDERS launcher launcher/commands launcher/control launcher/doctor
  launcher/host net storage jobs/coordinator)
set(RINGMASTER_HEAVY_HEADERS <boost/asio/io_context.hpp> <boost/asio/posix/stream_descriptor.hpp>
  <boost/asio/post.hpp> <boost/asio/signal_set.hpp> <boost/asio/steady_timer.hpp>
  <nlohmann/json.hpp>)
set(RINGMASTER_COMMON_HEADERS <fmt/format.h> <algorithm> <array> <cstdint> <filesystem> <fstream>
  <functional> <map> <memory> <optional> <sstream> <string> <string_view> <variant> <vector>)
if(RINGMASTER_PRECOMPILE)
  add_library(precompiled OBJECT cmake/empty.cc)
  target_link_libraries(precompiled fmt::fmt)
  target_precompile_headers(precompiled PRIVATE ${RINGMASTER_COMMON_HEADERS})
  add_library(precompiled_heavy OBJECT cmake/empty.cc)
  target_link_libraries(precompiled_heavy fmt::fmt)
  target_precompile_headers(precompiled_heavy PRIVATE ${RINGMASTER_COMMON_HEADERS}
    ${RINGMASTER_HEAVY_HEADERS})
  if(RINGMASTER_TESTS)
    add_executable(precompiled_tests cmake/empty.cc)
    target_link_libraries(precompiled_tests GTest::gtest_main fmt::fmt)
    target_compile_options(precompiled_tests PRIVATE ${RINGMASTER_TEST_FLAGS})
    target_precompile_headers(precompiled_tests PRIVATE ${RINGMASTER_COMMON_HEADERS}
      <gtest/gtest.h>)
  endif()
endif()

function(ringmaster_folder folder)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  string(REPLACE "/" "_" name ${folder})
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${folder}/*.cc)
  foreach(own ${RINGMASTER_OWN_FOLDERS})
    if(NOT own STREQUAL folder)
      list(FILTER files EXCLUDE REGEX "^${own}/")
    endif()
  endforeach()
  set(tests ${files})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(mains ${files})
  list(FILTER mains INCLUDE REGEX "_main\\.cc$")
  list(FILTER files EXCLUDE REGEX "_(test|main)\\.cc$")

  if(files)
    add_library(${name} STATIC ${files})
    target_link_libraries(${name} PUBLIC ${ARG_LINK})
    ringmaster_unity(${name} ${folder})
    if(RINGMASTER_PRECOMPILE AND folder IN_LIST RINGMASTER_HEAVY_FOLDERS)
      target_precompile_headers(${name} REUSE_FROM precompiled_heavy)
    elseif(RINGMASTER_PRECOMPILE)
      target_precompile_headers(${name} REUSE_FROM precompiled)
    endif()
    if(folder MATCHES "^tests")
      target_link_libraries(${name} PUBLIC GTest::gtest)
      target_compile_definitions(${name} PUBLIC ${RINGMASTER_TEST_DEFINITIONS})
    endif()
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${ARG_LINK})
  endif()

  foreach(main ${mains})
    get_filename_component(program ${main} NAME_WE)
    string(REGEX REPLACE "_main$" "" program ${program})
    string(REPLACE "_" "-" program ${program})
    add_executable(${program} ${main})
    target_link_libraries(${program} PRIVATE ${name})
  endforeach()

  if(RINGMASTER_TESTS AND tests)
    add_executable(${name}_tests ${tests})
    target_link_libraries(${name}_tests PRIVATE ${name} GTest::gtest_main)
    ringmaster_unity(${name}_tests ${folder})
    target_compile_definitions(${name}_tests PRIVATE ${RINGMASTER_TEST_DEFINITIONS})
    target_compile_options(${name}_tests PRIVATE ${RINGMASTER_TEST_FLAGS})
    if(RINGMASTER_PRECOMPILE)
      target_precompile_headers(${name}_tests REUSE_FROM precompiled_tests)
    endif()
    gtest_discover_tests(${name}_tests DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300)
  endif()
endfunction()

# The serial OpenBLAS, linked statically: one rank is one core, and Debian's alternatives could put
# the threaded build behind the same library name.
find_library(OPENBLAS_SERIAL NAMES libopenblas.a PATH_SUFFIXES openblas-serial REQUIRED)
find_path(OPENBLAS_INCLUDE cblas.h PATH_SUFFIXES x86_64-linux-gnu/openblas-serial
  aarch64-linux-gnu/openblas-serial openblas-serial REQUIRED)
add_library(openblas_serial INTERFACE)
target_link_libraries(openblas_serial INTERFACE ${OPENBLAS_SERIAL} m)
target_include_directories(openblas_serial SYSTEM INTERFACE ${OPENBLAS_INCLUDE})
