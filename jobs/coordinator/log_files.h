// SPDX-License-Identifier: Apache-2.0
//
// How the output of a job's ranks lies in the job's folder: one stream a host.
//
//     local-2.log              a host of this machine, whose agent writes the file itself
//     gpu-box-5.0.log          host 5, whose agent sends it: the bytes from 0 on,
//     gpu-box-5.8388608.log    and those from 8388608 on
//     gpu-box-5.end            nothing comes any more; its text says what is missing
//
// A part's name says where it starts, so that its size tells how far the stream has come: there is
// no second place that could tell something else after a crash. Bytes that are gone, because they
// were too many, are the distance between one part's end and the next one's start.
//
// Thread rules: blocking file calls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jobs/core/ids.h"

namespace ringmaster::jobs {

struct LogPart {
  std::int64_t start = 0;
  std::string path;
};

struct LogStream {
  std::string name;            // "gpu-box-5"
  std::vector<LogPart> parts;  // by their starts
  bool sent = false;           // by an agent on another machine
  std::string end;             // the path of what says that nothing comes any more, or ""
};

/// By name; none when there is no such folder.
std::vector<LogStream> list_log_streams(const std::string& folder);

/// A name that can be part of a file's, whatever a host calls itself.
std::string stream_name(const std::string& host_name, HostId host);
/// The host of a stream that was sent; 0: it is not one.
HostId host_of(const LogStream& stream);

std::string part_path(const std::string& folder, const std::string& stream, std::int64_t start);
std::string end_path(const std::string& folder, const std::string& stream);

}  // namespace ringmaster::jobs
