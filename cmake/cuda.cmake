# SPDX-License-Identifier: Apache-2.0
#
# The CUDA kernels: a library of their own (collectives/nccl/narrow_wire.h), built where nvcc is.
# By a command and not as a language of the project, whose warnings nvcc does not know. The CUDA
# runtime is linked in, so that it loads whichever version the program has.
include(GNUInstallDirs)
find_program(RINGMASTER_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_PATH /usr/local/cuda
  PATH_SUFFIXES bin)
set(RINGMASTER_NVCC_FOUND OFF)
if(RINGMASTER_NVCC)
  set(RINGMASTER_NVCC_FOUND ON)
endif()
option(RINGMASTER_CUDA "build the CUDA kernels (nvcc)" ${RINGMASTER_NVCC_FOUND})
if(NOT RINGMASTER_CUDA)
  return()
endif()
if(NOT RINGMASTER_NVCC_FOUND)
  message(FATAL_ERROR "RINGMASTER_CUDA: nvcc is not found (set CUDACXX, or leave the option off)")
endif()

set(kernels ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libringmaster-cuda.so)
set(kernels_source ${CMAKE_SOURCE_DIR}/collectives/nccl/cast_kernels.cu)
# Code for A100 and H100, and a form that newer GPUs compile when they load it.
add_custom_command(OUTPUT ${kernels}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}
  COMMAND ${RINGMASTER_NVCC} -std=c++17 -O3 -shared -Xcompiler=-fPIC,-Wall,-fvisibility=hidden
    -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90
    -gencode arch=compute_90,code=compute_90 -o ${kernels} ${kernels_source}
  DEPENDS ${kernels_source} VERBATIM)
add_custom_target(ringmaster_cuda ALL DEPENDS ${kernels})
install(FILES ${kernels} DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
if(RINGMASTER_TESTS)
  add_dependencies(collectives_tests ringmaster_cuda)
endif()
