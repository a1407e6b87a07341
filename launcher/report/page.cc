// SPDX-License-Identifier: Apache-2.0
#include "launcher/report/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "launcher/report/timeline.h"

namespace ringmaster::launcher {

namespace {

constexpr const char* kPageStyle = R"(*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,-apple-system,
"Segoe UI",Roboto,"Helvetica Neue","DejaVu Sans",sans-serif;font-variant-numeric:tabular-nums}
main{max-width:1060px;margin:0 auto;padding:44px 24px 56px}
h1{font-size:27px;line-height:1.2;letter-spacing:-.015em;margin:0 0 6px;font-weight:680}
h2{font-size:16px;margin:36px 0 12px;font-weight:650}
p{margin:0}
.lead{color:var(--soft)}
.tiles{display:grid;grid-template-columns:repeat(6,1fr);gap:12px;margin:26px 0 12px}
.tile,.card{background:var(--card);border:1px solid var(--faint);border-radius:10px}
.tile{padding:13px 15px 12px}
.tile b{display:block;font-size:23px;line-height:1.25;font-weight:640;letter-spacing:-.01em;
white-space:nowrap}
.tile span{color:var(--soft);font-size:12.5px;line-height:1.35;display:block}
.card{padding:16px 18px}
.card svg{display:block;width:100%;height:auto}
.verdicts{display:grid;gap:8px}
.verdict{border-radius:10px;padding:11px 15px;display:grid;grid-template-columns:24px 90px 1fr;
align-items:baseline}
.verdict.good{background:var(--good-ground)}.verdict.bad{background:var(--bad-ground)}
.verdict i{font-style:normal;font-weight:700}
.verdict.good i{color:var(--good)}.verdict.bad i{color:var(--bad)}
.verdict b{font-weight:640}
table{border-collapse:collapse;width:100%;font-size:14px}
th{font-weight:600;color:var(--soft);font-size:12.5px;text-align:left}
th,td{padding:7px 18px 7px 0;border-bottom:1px solid var(--faint);vertical-align:baseline}
tr:last-child td{border-bottom:0}
th:last-child,td:last-child{padding-right:0}
.n{text-align:right}
td.why{min-width:240px}
.lost{color:var(--lost);font-weight:600;white-space:nowrap}
.joined{color:var(--join);font-weight:600;white-space:nowrap}
.note{color:var(--soft);margin-top:8px}
footer{color:var(--soft);font-size:12.5px;margin-top:34px}
@media(max-width:860px){.tiles{grid-template-columns:repeat(3,1fr)}}
@media print{body{background:#fff}.tile,.card{break-inside:avoid}}
)";

std::string tile(const std::string& value, const std::string& name) {
  return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", value, name);
}

std::string whole(std::int64_t value) {
  return number_text(static_cast<double>(value));
}

std::string make_tiles(const Summary& s) {
  std::string html = "<div class=\"tiles\">\n";
  html += tile(s.accuracy ? fmt::format("{:.2f} %", *s.accuracy * 100) : "–", "test accuracy");
  html += tile(whole(s.steps), s.finished ? "steps, all of them"
                                          : fmt::format("of {} steps", whole(s.start.steps)));
  html += tile(fmt::format("{:.1f} s", s.seconds), "wall time");
  html += tile(number_text(s.images_per_s), "images/s, healing included");
  html += tile(fmt::format("{} / {}", s.losses, s.joins), "ranks lost / joined");
  html += s.heals_ms.empty()
              ? tile("–", "nothing to heal")
              : tile(fmt::format("{:.1f} ms", quantile(s.heals_ms, 0.5)),
                     s.heals_ms.size() == 1 ? "to heal the ring, once"
                                            : fmt::format("median of {} heals; longest {:.1f} ms",
                                                          s.heals_ms.size(), s.heals_ms.back()));
  return html + "</div>\n";
}

std::string verdict_row(const Verdict& verdict, const char* name) {
  return fmt::format("<div class=\"verdict {}\"><i>{}</i><b>{}</b><span>{}</span></div>\n",
                     verdict.good ? "good" : "bad", verdict.good ? "✓" : "✗", name,
                     escape(verdict.text));
}

/// "−1" in red, "+1" in green.
std::string change_cell(const GenerationEvent& e) {
  std::string cell;
  if (e.lost > 0) cell += fmt::format("<span class=\"lost\">−{}</span> ", e.lost);
  if (e.joined > 0) cell += fmt::format("<span class=\"joined\">+{}</span>", e.joined);
  return cell;
}

std::string make_generations(const Summary& s) {
  std::string html =
      "<h2>Generations</h2>\n<div class=\"card\"><table>\n<tr><th>No.</th><th class=\"n\">At</th>"
      "<th class=\"n\">Step</th><th></th><th class=\"n\">World</th><th>Members</th><th>Why</th>"
      "<th class=\"n\">State from</th><th class=\"n\">Heal</th></tr>\n";
  for (const GenerationEvent& e : s.generations) {
    // All ranks join the first generation: nothing was healed.
    const bool changed = &e != &s.generations.front();
    html += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{:.2f} s</td><td class=\"n\">{}</td><td>{}</td>"
        "<td class=\"n\">{}</td><td>{}</td><td class=\"why\">{}</td><td class=\"n\">{}</td>"
        "<td class=\"n\">{}</td></tr>\n",
        e.generation, std::max(0.0, e.time - s.start.time), whole(e.steps),
        changed ? change_cell(e) : "", e.world, fmt::join(e.members, " "), escape(e.reason),
        changed ? fmt::format("rank {}", e.source) : "–",
        changed ? fmt::format("{:.1f} ms", e.heal_ms) : "–");
  }
  return html + "</table></div>\n";
}

std::string make_settings(const Summary& s) {
  const StartEvent& start = s.start;
  return fmt::format(
      "<h2>Settings</h2>\n<div class=\"card\"><table>\n<tr><th>Model</th><th>Ranks</th>"
      "<th>Global batch</th><th>Epochs</th><th>Training images</th><th>Test images</th>"
      "<th>Seed</th><th>BLAS kernel</th></tr>\n<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
      "<td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n</table></div>\n",
      escape(start.model), start.ranks, whole(start.batch), start.epochs, whole(start.train_images),
      whole(start.test_images), start.seed, escape(start.kernel));
}

std::string make_lead(const Summary& s) {
  std::string lead = fmt::format("{} on {} {}", s.start.model, s.start.ranks,
                                 s.start.ranks == 1 ? "rank" : "ranks");
  if (s.losses == 0) return lead + ", an undisturbed run";
  lead += fmt::format(": {} lost on the way, {} joined, ", s.losses, s.joins);
  return lead + (s.finished ? "and the run finished every step" : "the run is not finished");
}

}  // namespace

std::string make_page(const Summary& summary) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  html += fmt::format("<title>Ringmaster: {} on {} ranks</title>\n", escape(summary.start.model),
                      summary.start.ranks);
  html += fmt::format("<style>\n{}{}</style></head>\n<body><main>\n", style_sheet(), kPageStyle);
  html += fmt::format("<h1>Training report</h1>\n<p class=\"lead\">{}</p>\n",
                      escape(make_lead(summary)));
  html += make_tiles(summary);
  html += "<div class=\"verdicts\">\n" + verdict_row(summary.ledger, "Ledger") +
          verdict_row(summary.weights, "Weights") + "</div>\n";
  for (const std::string& note : summary.notes) {
    html += fmt::format("<p class=\"note\">Note: {}.</p>\n", escape(note));
  }
  html +=
      "<h2>The run over time</h2>\n<div class=\"card\">\n" + draw_timeline(summary) + "</div>\n";
  html += make_generations(summary) + make_settings(summary);
  html +=
      "<footer>Made by <code>ringmaster report</code>. A loss is drawn at its moment, a join "
      "when the ring holds the newcomer.</footer>\n";
  return html + "</main></body></html>\n";
}

}  // namespace ringmaster::launcher
