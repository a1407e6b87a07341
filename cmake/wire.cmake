# SPDX-License-Identifier: Apache-2.0
#
# The messages of jobs/wire/messages.proto as a library of their own: generated code keeps its own
# house style, so no warnings. It is included as jobs/wire/messages.pb.h.
set(RINGMASTER_GENERATED ${CMAKE_BINARY_DIR}/generated)
set(messages jobs/wire/messages)
add_custom_command(
  OUTPUT ${RINGMASTER_GENERATED}/${messages}.pb.cc ${RINGMASTER_GENERATED}/${messages}.pb.h
  COMMAND ${CMAKE_COMMAND} -E make_directory ${RINGMASTER_GENERATED}
  COMMAND protobuf::protoc -I ${CMAKE_SOURCE_DIR} --cpp_out ${RINGMASTER_GENERATED}
    ${CMAKE_SOURCE_DIR}/${messages}.proto
  DEPENDS ${messages}.proto)
add_library(wire_messages STATIC ${RINGMASTER_GENERATED}/${messages}.pb.cc
  ${RINGMASTER_GENERATED}/${messages}.pb.h)
target_compile_options(wire_messages PRIVATE -w)
target_include_directories(wire_messages SYSTEM PUBLIC ${RINGMASTER_GENERATED})
target_link_libraries(wire_messages PUBLIC protobuf::libprotobuf-lite)
