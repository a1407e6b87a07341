# SPDX-License-Identifier: Apache-2.0
#
# The messages of jobs/wire/*.proto as a library of their own: generated code keeps its own house
# style, so no warnings. They are included as jobs/wire/messages.pb.h.
set(RINGMASTER_GENERATED ${CMAKE_BINARY_DIR}/generated)
set(protos jobs/wire/messages jobs/wire/snapshot)
set(generated)
foreach(proto ${protos})
  list(APPEND generated ${RINGMASTER_GENERATED}/${proto}.pb.cc
    ${RINGMASTER_GENERATED}/${proto}.pb.h)
endforeach()
list(TRANSFORM protos APPEND .proto)
add_custom_command(
  OUTPUT ${generated}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${RINGMASTER_GENERATED}
  COMMAND protobuf::protoc -I ${CMAKE_SOURCE_DIR} --cpp_out ${RINGMASTER_GENERATED} ${protos}
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
  DEPENDS ${protos})
add_library(wire_messages STATIC ${generated})
target_compile_options(wire_messages PRIVATE -w)
target_include_directories(wire_messages SYSTEM PUBLIC ${RINGMASTER_GENERATED})
target_link_libraries(wire_messages PUBLIC protobuf::libprotobuf-lite)
