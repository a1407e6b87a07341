// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/summary_json.h"

#include <nlohmann/json.hpp>

namespace ringmaster::launcher {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson change_json(const Change& change) {
  return {{"kind", change.kind == Change::Kind::lost ? "lost" : "joined"},
          {"seconds", change.seconds},
          {"step", change.step},
          {"ranks", change.ranks},
          {"count", change.count},
          {"heal_ms", change.heal_ms},
          {"world", change.world},
          {"reason", change.reason}};
}

OrderedJson heals_json(const Summary& s) {
  if (s.heals_ms.empty()) return {{"count", 0}, {"p50", nullptr}, {"max", nullptr}};
  return {
      {"count", s.heals_ms.size()}, {"p50", quantile(s.heals_ms, 0.5)}, {"max", s.heals_ms.back()}};
}

}  // namespace

std::string summary_json(const Summary& s) {
  OrderedJson changes = OrderedJson::array();
  for (const Change& change : s.changes) changes.push_back(change_json(change));
  OrderedJson json = {{"model", s.start.model},
               {"ranks", s.start.ranks},
               {"finished", s.finished},
               {"accuracy", s.accuracy ? OrderedJson(*s.accuracy) : OrderedJson(nullptr)},
               {"steps", s.steps},
               {"steps_wanted", s.start.steps},
               {"seconds", s.seconds},
               {"images_per_s", s.images_per_s},
               {"kernel", s.start.kernel},
               {"generations", s.generations.size()},
               {"losses", s.losses},
               {"joins", s.joins},
               {"heal_ms", heals_json(s)},
               {"changes", changes},
               {"ledger", {{"good", s.ledger.good}, {"text", s.ledger.text}}},
               {"repeated", s.repeated},
               {"weights", {{"equal", s.weights.good}, {"text", s.weights.text}}},
               {"notes", s.notes}};
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace ringmaster::launcher
