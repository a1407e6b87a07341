# SPDX-License-Identifier: Apache-2.0
#
# The MPI engine: a library of its own, loaded only by programs that an MPI launcher started
# (collectives/mpi_plugin.h). Built where Open MPI's headers are; nothing else links MPI.
include(GNUInstallDirs)
target_compile_definitions(collectives
  PRIVATE RINGMASTER_LIBRARY_FOLDER="${CMAKE_INSTALL_LIBDIR}")

# Debian's alternatives may put another MPI behind the plain names.
find_program(RINGMASTER_MPICC NAMES mpicc.openmpi mpicc)
find_program(RINGMASTER_MPIRUN NAMES mpirun.openmpi mpirun)
if(RINGMASTER_MPICC AND RINGMASTER_MPIRUN)
  set(MPI_C_COMPILER ${RINGMASTER_MPICC})
  find_package(MPI QUIET COMPONENTS C)
endif()
if(MPI_C_FOUND)
  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
  check_c_source_compiles("#include <mpi.h>\n#ifndef OPEN_MPI\n#error\n#endif\nint main(){}"
    RINGMASTER_IS_OPEN_MPI)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()
set(RINGMASTER_MPI_FOUND OFF)
if(MPI_C_FOUND AND RINGMASTER_IS_OPEN_MPI)
  set(RINGMASTER_MPI_FOUND ON)
endif()
option(RINGMASTER_MPI "build the MPI engine (Open MPI)" ${RINGMASTER_MPI_FOUND})
if(NOT RINGMASTER_MPI)
  return()
endif()
if(NOT RINGMASTER_MPI_FOUND)
  message(FATAL_ERROR "RINGMASTER_MPI: Open MPI is not found (Debian: libopenmpi-dev openmpi-bin)")
endif()

add_library(ringmaster_mpi SHARED collectives/mpi/mpi_communicator.cc collectives/mpi/mpi_types.cc
  collectives/mpi/mpi_wait.cc collectives/mpi/plugin.cc)
target_link_libraries(ringmaster_mpi PRIVATE collectives MPI::MPI_C)
# Its header would bring the C++ bindings, which MPI has given up.
target_compile_definitions(ringmaster_mpi PRIVATE OMPI_SKIP_MPICXX=1)
set_target_properties(ringmaster_mpi PROPERTIES OUTPUT_NAME ringmaster-mpi)
install(TARGETS ringmaster_mpi OPTIONAL)

if(RINGMASTER_TESTS)
  # The suite of all engines and the storm of operations, each rank a process. Few ranks more than
  # processors, which yield; and none of the networks that MPI would look for.
  set(storm call.cc crew.cc memory.cc operations_test.cc settings.cc story.cc trial.cc values.cc)
  list(TRANSFORM storm PREPEND tests/storm/)
  add_executable(collectives_mpi_tests collectives/communicator_test.cc
    collectives/mpi/mpi_communicator_test.cc ${storm})
  target_link_libraries(collectives_mpi_tests PRIVATE collectives GTest::gtest_main)
  target_compile_definitions(collectives_mpi_tests
    PRIVATE RINGMASTER_TEST_MPI ${RINGMASTER_TEST_DEFINITIONS})
  add_dependencies(collectives_mpi_tests ringmaster_mpi)
  set(launch ${RINGMASTER_MPIRUN} --oversubscribe -np)
  set(suite $<TARGET_FILE:collectives_mpi_tests> --gtest_brief=1)
  foreach(ranks 2 3 4)
    add_test(NAME Mpi.${ranks}Ranks
      COMMAND ${launch} ${ranks} ${suite} --gtest_filter=-MpiTimeOut.*)
  endforeach()
  add_test(NAME Mpi.TimeOut COMMAND ${launch} 3 ${suite} --gtest_filter=MpiTimeOut.*)
  # A program of a user's: its session finds MPI by itself.
  add_test(NAME Mpi.Session COMMAND ${launch} 3 $<TARGET_FILE:elastic-c> 200)
  set_tests_properties(Mpi.Session PROPERTIES PASS_REGULAR_EXPRESSION "y = .* after 200 steps"
    FAIL_REGULAR_EXPRESSION "elastic-c:")
  set_tests_properties(Mpi.TimeOut PROPERTIES
    PASS_REGULAR_EXPRESSION "PASSED" FAIL_REGULAR_EXPRESSION "Failure")
  set_tests_properties(Mpi.2Ranks Mpi.3Ranks Mpi.4Ranks Mpi.TimeOut Mpi.Session PROPERTIES
    TIMEOUT 120 ENVIRONMENT
    "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_pml=ob1;\
OMPI_MCA_btl=self,vader;OMPI_MCA_mpi_yield_when_idle=1;\
OMPI_MCA_btl_vader_single_copy_mechanism=none;ASAN_OPTIONS=detect_leaks=0")
endif()
