// SPDX-License-Identifier: Apache-2.0
#include "launcher/saver.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cstring>

#include "storage/layout/reads.h"

namespace ringmaster::launcher {

namespace {

/// A read is a string of its own before it is copied to its place.
constexpr std::uint64_t kStoreReadMax = 16 << 20;

Result<storage::WrittenShard> write_now(const std::string& url, const std::string& job,
                                        const worker::StagedMessage& message, jobs::Term term,
                                        const worker::StagedMemory& memory) {
  auto store = storage::open_store(url);
  if (!store) return store.error();
  const auto tensors = worker::tensors_of(message.blocks);
  std::vector<storage::StagedChunk> chunks;
  const char* at = reinterpret_cast<const char*>(memory.data());
  for (const auto& part : worker::share_of(message.blocks, message.position, message.members)) {
    const std::uint64_t bytes = storage::elements_of(part.box.shape);
    chunks.push_back({tensors[part.tensor], part.box, {at, bytes}});
    at += bytes;
  }
  const storage::ShardName name{{term.value, message.steps}, message.position, message.members};
  return storage::write_shard(**store, job, name, chunks);
}

Result<storage::Manifest> read_manifest(storage::ObjectStore& store, const std::string& job,
                                        const jobs::CheckpointAt& at) {
  const std::string key = storage::manifest_key(job, {at.term.value, at.steps});
  const auto text = store.get(key, storage::kManifestBytesMax);
  if (!text) return text.error();
  return storage::decode_manifest(*text);
}

/// The state is its blocks, one after the other: any other tensors are of another program.
Result<std::vector<std::uint64_t>> blocks_of(const storage::Manifest& manifest) {
  std::vector<std::uint64_t> blocks;
  for (const auto& [tensor, chunks] : manifest.tensors) {
    const bool ours = tensor.name == fmt::format("block-{}", blocks.size()) &&
                      tensor.dtype == storage::Dtype::u8 && tensor.shape.size() == 1;
    if (!ours || blocks.size() >= worker::kBlocksMax) {
      return Error{
          Errc::mismatch,
          fmt::format("the checkpoint has a tensor \"{}\" that no session has saved", tensor.name)};
    }
    blocks.push_back(tensor.shape.front());
  }
  return blocks;
}

Result<void> read_into(storage::ObjectStore& store, const std::string& key, std::uint64_t begin,
                       std::uint64_t bytes, std::byte* into) {
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t size = std::min(kStoreReadMax, bytes - done);
    const auto piece = store.read(key, begin + done, size);
    if (!piece) return piece.error();
    if (piece->size() != size) return Error{Errc::corrupt, fmt::format("{} is too short", key)};
    std::memcpy(into + done, piece->data(), size);
    done += size;
  }
  return {};
}

Result<Saver::Loaded> load_now(const std::string& url, const std::string& job,
                               const jobs::CheckpointAt& at) {
  auto store = storage::open_store(url);
  if (!store) return store.error();
  const auto manifest = read_manifest(**store, job, at);
  if (!manifest) return manifest.error();
  auto blocks = blocks_of(*manifest);
  if (!blocks) return blocks.error();
  std::vector<storage::Wanted> wanted;
  std::vector<std::uint64_t> places;
  std::uint64_t total = 0;
  for (std::size_t block = 0; block < blocks->size(); ++block) {
    wanted.push_back({block, storage::whole(manifest->tensors[block].tensor.shape)});
    places.push_back(total);
    total += (*blocks)[block];
  }
  const auto reads = storage::plan_reads(*manifest, wanted);
  if (!reads) return reads.error();
  auto memory = worker::StagedMemory::create(total);
  if (!memory) return memory.error();
  for (const storage::Read& read : *reads) {
    auto done = read_into(**store, manifest->shards[read.shard].key, read.begin, read.bytes,
                          memory->data() + places[read.wanted] + read.into);
    if (!done) return done.error();
  }
  return Saver::Loaded{std::move(*blocks), std::move(*memory)};
}

Error no_answer(Duration limit) {
  return {Errc::timed_out, fmt::format("the store did not answer in {:g} s", to_seconds(limit))};
}

}  // namespace

Saver::Saver(boost::asio::io_context& loop, Pool& pool, std::string store, std::string job)
    : loop_(loop),
      pool_(pool),
      store_(std::move(store)),
      job_(std::move(job)),
      writes_(loop),
      loads_(loop) {}

bool Saver::write(const worker::StagedMessage& message, jobs::Term term,
                  worker::StagedMemory memory, Written done) {
  const Duration limit =
      kStoreLimit + std::chrono::seconds(memory.bytes() / kSlowestBytesPerSecond);
  const std::int64_t number =
      writes_.expect(limit, std::move(done), [limit] { return no_answer(limit); });
  // Shared, because a std::function can be copied and the memory cannot.
  auto held = std::make_shared<worker::StagedMemory>(std::move(memory));
  const std::weak_ptr<int> alive = alive_;
  const bool taken = pool_.run(
      [this, &loop = loop_, alive, url = store_, job = job_, message, term, held, number] {
        auto written = write_now(url, job, message, term, *held);
        held->mark_done();
        boost::asio::post(loop, [this, alive, number, written = std::move(written)] {
          if (!alive.expired()) writes_.arrive(number, written);
        });
      });
  if (taken) return true;
  held->mark_done();
  writes_.forget(number);
  return false;
}

bool Saver::load(const jobs::CheckpointAt& at, OnLoaded done) {
  // How much there is to load is known only to the store.
  static constexpr Duration limit = 15 * kStoreLimit;
  const std::int64_t number =
      loads_.expect(limit, std::move(done), [] { return no_answer(limit); });
  const std::weak_ptr<int> alive = alive_;
  const bool taken = pool_.run([this, &loop = loop_, alive, url = store_, job = job_, at, number] {
    auto loaded = std::make_shared<Result<Loaded>>(load_now(url, job, at));
    boost::asio::post(loop, [this, alive, number, loaded] {
      if (!alive.expired()) loads_.arrive(number, std::move(*loaded));
    });
  });
  if (!taken) loads_.forget(number);
  return taken;
}

}  // namespace ringmaster::launcher
