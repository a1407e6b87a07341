// SPDX-License-Identifier: Apache-2.0
#include "jobs/coordinator/host_logs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/check.h"
#include "base/file_descriptor.h"

namespace ringmaster::jobs {

namespace {

/// Each gap begins a part: a stream of nothing but gaps must not fill the folder.
constexpr std::size_t kPartsMax = 64;

/// Writes as much as it can: `written` grows by that.
Result<void> write_at(const std::string& path, std::string_view bytes, std::int64_t offset,
                      std::int64_t& written) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!file.valid()) return errno_error(errno, path);
  while (!bytes.empty()) {
    const ssize_t size = ::pwrite(file.get(), bytes.data(), bytes.size(), offset);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return errno_error(errno, fmt::format("write {}", path));
    bytes.remove_prefix(static_cast<std::size_t>(size));
    offset += size;
    written += size;
  }
  return {};
}

}  // namespace

HostLogs::HostLogs(std::string folder, std::function<void(const std::string&)> say, Bounds bounds)
    : folder_(std::move(folder)), say_(std::move(say)), bounds_(bounds) {}

std::string HostLogs::folder_of(JobId job) const {
  return fmt::format("{}/{}", folder_, job.value);
}

void HostLogs::find_again(const std::function<bool(HostId)>& is_gone) {
  std::error_code code;
  for (std::filesystem::directory_iterator entry(folder_, code), end; !code && entry != end;
       entry.increment(code)) {
    const std::string name = entry->path().filename();
    JobId job;
    const char* last = name.data() + name.size();
    const auto read = std::from_chars(name.data(), last, job.value);
    if (read.ec == std::errc() && read.ptr == last) take_up(job);
  }
  std::vector<HostId> gone;
  for (const auto& [key, stream] : streams_) {
    if (is_gone(key.host)) gone.push_back(key.host);
  }
  for (const HostId host : gone) lose(host);
}

void HostLogs::take_up(JobId job) {
  for (const LogStream& found : list_log_streams(folder_of(job))) {
    if (!found.sent || !found.end.empty()) continue;
    Stream stream{found.name, {}, false};
    for (const LogPart& part : found.parts) {
      std::error_code code;
      const auto size = std::filesystem::file_size(part.path, code);
      stream.parts.push_back({part.start, code ? 0 : static_cast<std::int64_t>(size)});
    }
    streams_[{job, host_of(found)}] = std::move(stream);
  }
}

void HostLogs::expect(const Key& key, const std::string& host_name) {
  if (streams_.contains(key)) return;
  std::error_code ignored;  // what follows fails, and says so
  std::filesystem::create_directories(folder_of(key.job), ignored);
  Stream& stream = streams_[key];
  stream.name = stream_name(host_name, key.host);
  stream.parts.push_back({0, 0});
  std::int64_t written = 0;
  const auto made = write_at(part_path(folder_of(key.job), stream.name, 0), "", 0, written);
  if (!made) say_(fmt::format("output of job {}: {}", key.job.value, made.error().message));
}

HostLogs::Taken HostLogs::take(HostId host, const OutputPiece& piece) {
  const Key key{piece.job, host};
  const auto found = streams_.find(key);
  // Complete already, or never ordered: nobody waits for it.
  if (found == streams_.end()) return {piece.offset, true};
  Stream& stream = found->second;
  const std::int64_t have = stream.end();
  // Something before it was lost on the way: it comes again, with all that follows.
  if (piece.offset > have && piece.offset != piece.first) return {have, false};
  auto done = append(key, stream, piece);
  const auto size = static_cast<std::int64_t>(piece.data.size());
  const bool complete = piece.last && stream.end() >= piece.offset + size;
  if (done && complete) done = finish(key, stream, "");
  if (!done && !stream.failing) say_(fmt::format("output is held up: {}", done.error().message));
  stream.failing = !done;
  const Taken taken{stream.end(), done.ok() && complete};
  if (taken.complete) streams_.erase(found);
  return taken;
}

Result<void> HostLogs::append(const Key& key, Stream& stream, const OutputPiece& piece) {
  std::string_view data = piece.data;
  const std::int64_t have = stream.end();
  if (piece.offset < have) {
    const auto known = static_cast<std::size_t>(have - piece.offset);
    data.remove_prefix(std::min(known, data.size()));
  }
  const bool full = stream.parts.back().size >= bounds_.part;
  if (piece.offset > have || (full && !data.empty())) {
    stream.parts.push_back({std::max(piece.offset, have), 0});
    trim(key, stream);
  }
  Part& part = stream.parts.back();
  const std::string path = part_path(folder_of(key.job), stream.name, part.start);
  return write_at(path, data, part.size, part.size);
}

void HostLogs::trim(const Key& key, Stream& stream) {
  std::int64_t all = 0;
  for (const Part& part : stream.parts) all += part.size;
  auto& parts = stream.parts;
  // The new part is to have room as well.
  while (parts.size() > 1 && (all + bounds_.part > bounds_.all || parts.size() > kPartsMax)) {
    ::unlink(part_path(folder_of(key.job), stream.name, parts.front().start).c_str());
    all -= parts.front().size;
    parts.erase(parts.begin());
  }
}

/// The mark appears whole or not at all.
Result<void> HostLogs::finish(const Key& key, const Stream& stream, const std::string& text) {
  const std::string path = end_path(folder_of(key.job), stream.name);
  const std::string temporary = path + ".new";
  ::unlink(temporary.c_str());
  std::int64_t written = 0;
  if (auto done = write_at(temporary, text, 0, written); !done) return done;
  if (::rename(temporary.c_str(), path.c_str()) == 0) return {};
  return errno_error(errno, fmt::format("write {}", path));
}

void HostLogs::lose(HostId host) {
  for (auto at = streams_.begin(); at != streams_.end();) {
    const auto& [key, stream] = *at;
    if (key.host != host) {
      ++at;
      continue;
    }
    const std::string name = stream.name.substr(0, stream.name.rfind('-'));
    const std::string text = fmt::format(
        "[host {} was lost: what came after byte {} did not arrive]\n", name, stream.end());
    if (auto done = finish(key, stream, text); !done) say_(done.error().message);
    at = streams_.erase(at);
  }
}

std::vector<HostLogs::Key> HostLogs::incomplete() const {
  std::vector<Key> all;
  for (const auto& [key, stream] : streams_) all.push_back(key);
  return all;
}

}  // namespace ringmaster::jobs
