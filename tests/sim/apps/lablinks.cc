/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lablinks.h"
#include "labrecord.h"
#include "scenario.h"
#include <fstream>

namespace sim
{

std::string
quoted (const std::string &text)
{
  std::string result = "\"";

  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "\"";
}

static std::string
link_json (const ChainLinkSpec &spec)
{
  std::string steps = format ("[0, %.0f]", spec.link.bps);

  for (const CapacityStep &step : spec.link.schedule)
    steps += format (", [%g, %.0f]", step.at_s, step.bps);
  return "{\"capacity\": " + (spec.link.bps > 0 ? "[" + steps + "]" : std::string ("null")) +
         format (", \"delay\": %g}", spec.link.delay_ms / 1000);
}

static std::string
flow_json (const LabFlow &f, double rtt_s, const std::string &stats)
{
  return "{\"kind\": " + quoted (f.kind_name) + ", \"controller\": " + quoted (f.controller) +
         format (", \"direction\": \"%s\", \"enter\": %u, \"leave\": %u, \"start\": %g, \"stop\": %g, \"rtt\": %g",
             f.forward ? "forward" : "reverse", f.place.enter, f.place.leave, f.start_s, f.stop_s, rtt_s) +
         ", \"stats\": " + stats + "}";
}

void
write_lab_links (const LabJob &job, const Chain &chain, const std::map<unsigned, std::string> &stats)
{
  std::ofstream file (job.out + "/links.json");

  file << format ("{\"duration\": %g, \"bin\": %g,\n \"hops\": [", job.duration_s, LabRecord::bin_s);
  for (size_t i = 0; i < job.hops.size (); i++)
    file << (i ? ",\n  " : "") << "{\"forward\": " << link_json (job.hops[i].forward)
         << ", \"reverse\": " << link_json (job.hops[i].backward) << "}";
  file << "],\n \"flows\": [";
  for (unsigned i = 0; i < job.flows.size (); i++) {
    auto found = stats.find (i);
    file << (i ? ",\n  " : "")
         << flow_json (job.flows[i], chain.base_rtt_s (i), found == stats.end () ? "{}" : found->second);
  }
  file << "]}\n";
}

} // namespace sim
