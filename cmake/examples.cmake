# SPDX-License-Identifier: Apache-2.0
#
# Installed beside the examples as their CMakeLists.txt: how a project of your own finds Ringmaster.
#   cmake -S . -B build -DCMAKE_PREFIX_PATH=PREFIX && cmake --build build
cmake_minimum_required(VERSION 3.16)
project(ringmaster_examples LANGUAGES C CXX)
find_package(ringmaster REQUIRED)

add_executable(elastic-cpp elastic.cc)
add_executable(elastic-c elastic.c)
add_executable(tensors-c tensors.c)
add_executable(started-cpp started.cc)
foreach(example elastic-cpp elastic-c tensors-c started-cpp)
  target_link_libraries(${example} PRIVATE ringmaster::ringmaster)
endforeach()
