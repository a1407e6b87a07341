// SPDX-License-Identifier: Apache-2.0
//
// Terms and commits of the jobs' checkpoints: the calls to the store, in a thread beside the loop.
//
// One thread for all jobs, so that what was asked for first is done first: a term that is opened
// after a commit finds what that commit made. A term lives as long as this object; the next
// coordinator opens its own and thereby fences this one.
//
// A store that hangs is answered for after a while, so that no job waits for ever; should it answer
// after all, that counts too.
//
// Thread rules: the loop's thread; answers come from the loop, never from within a call.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/pool.h"
#include "jobs/core/action.h"
#include "net/answers.h"
#include "storage/checkpoint/writer.h"

namespace boost::asio {
class io_context;
}

namespace ringmaster::jobs {

class Checkpoints {
 public:
  using Answer = std::function<void(const Event&)>;
  /// Where a job's checkpoints are.
  struct Place {
    std::string store;  // its URL
    std::string name;   // of the job, in the store's keys
    std::int64_t keep = 3;
  };
  /// A commit writes one small object and removes old ones; a term reads what is there.
  static constexpr Duration kStoreLimit = std::chrono::minutes(2);

  using OpenStore = Result<std::unique_ptr<storage::ObjectStore>> (*)(const std::string& url);
  Checkpoints(boost::asio::io_context& loop, Answer answer, Duration limit = kStoreLimit,
              OpenStore open = storage::open_store);
  ~Checkpoints();

  /// Answers with TermOpened or TermFailed.
  void open_term(const OpenTerm& action, const Place& place);
  /// Answers with CheckpointCommitted or CheckpointFailed; then old ones are collected.
  void commit(const CommitCheckpoint& action, const Place& place);
  /// The job has ended: nothing more will be asked for it.
  void forget(JobId job);

 private:
  /// A job's turn at its store; only the pool's thread looks at it.
  struct Turn {
    std::unique_ptr<storage::ObjectStore> store;
    std::optional<storage::Term> term;
    std::set<storage::CheckpointName> written;  // by this turn: their bytes need no second look
  };
  Event open_now(const OpenTerm& action, const Place& place);
  std::vector<Event> commit_now(const CommitCheckpoint& action, const Place& place);
  /// `failed` is the answer when the store gives none, with its reason.
  void run(std::function<std::vector<Event>()> work,
           const std::function<Event(const std::string& why)>& failed);

  boost::asio::io_context& loop_;
  Answer answer_;
  Duration limit_;
  OpenStore open_;
  net::Answers<std::vector<Event>> answers_;
  std::map<JobId, Turn> turns_;
  Pool pool_;  // the last: it ends first
};

}  // namespace ringmaster::jobs
