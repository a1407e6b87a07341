# SPDX-License-Identifier: Apache-2.0
#
# Libraries with the interfaces of the CUDA runtime and of NCCL, for tests on machines without a GPU
# (tests/fakes). Programs find them by their files, as they would the real ones.
add_library(cuda-stand-in SHARED tests/fakes/cuda_stand_in.cc)
target_link_libraries(cuda-stand-in PRIVATE base)
add_library(nccl-stand-in SHARED tests/fakes/nccl_stand_in.cc tests/fakes/nccl_world.cc)
target_link_libraries(nccl-stand-in PRIVATE collectives cuda-stand-in)
add_library(cuda-kernels-stand-in SHARED tests/fakes/cuda_kernels_stand_in.cc)
target_link_libraries(cuda-kernels-stand-in PRIVATE cuda-stand-in)
add_library(nvml-stand-in SHARED tests/fakes/nvml_stand_in.cc)
target_link_libraries(nvml-stand-in PRIVATE base)
add_dependencies(topology_detect_tests nvml-stand-in cuda-stand-in)
add_dependencies(launcher_commands_tests nvml-stand-in nccl-stand-in)
foreach(library cuda-stand-in nccl-stand-in cuda-kernels-stand-in)
  target_compile_definitions(${library} PRIVATE ${RINGMASTER_TEST_DEFINITIONS})
endforeach()
foreach(tests collectives_tests worker_tests tests_storm_tests)
  add_dependencies(${tests} nccl-stand-in cuda-kernels-stand-in)
endforeach()
