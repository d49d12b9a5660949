/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "labjob.h"
#include "scenario.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <glib.h>
#include <map>
#include <set>

namespace sim
{

[[noreturn]] static void
fail (const std::string &text)
{
  fprintf (stderr, "sim-lab: %s\n", text.c_str ());
  exit (1);
}

static double
number (const std::string &text, const std::string &where)
{
  char *end;
  double value = strtod (text.c_str (), &end);
  std::string unit (end);
  double scale = unit == "k" ? 1e3 : unit == "M" ? 1e6 : unit == "G" ? 1e9 : 1;

  if (end == text.c_str () || !(value >= 0) || (scale == 1 && !unit.empty ()))
    fail ("no number: " + where + "=" + text);
  return value * scale;
}

static std::vector<CapacityStep>
schedule (const std::string &text, const std::string &where)
{
  std::vector<CapacityStep> steps;

  for (size_t at = 0; at <= text.size ();) {
    size_t comma = std::min (text.find (',', at), text.size ());
    std::string item = text.substr (at, comma - at);
    size_t colon = item.find (':');
    bool timed = colon != std::string::npos;
    steps.push_back (
        {timed ? number (item.substr (0, colon), where) : 0, number (timed ? item.substr (colon + 1) : item, where)});
    at = comma + 1;
  }
  if (steps.front ().at_s != 0)
    fail ("a schedule starts at 0: " + where + "=" + text);
  return steps;
}

/* One group of the file. Keys nobody asked for are an error: a slip of the pen must not pass for a default. */
class Group
{
public:
  Group (GKeyFile *f, const std::string &n) : file (f), name (n)
  {
  }

  std::string
  text (const char *key, const std::string &otherwise = "")
  {
    asked.insert (key);
    gchar *value = g_key_file_get_string (file, name.c_str (), key, nullptr);
    std::string found = value ? value : otherwise;
    g_free (value);
    return found;
  }

  std::string
  must (const char *key)
  {
    std::string found = text (key);
    if (found.empty ())
      fail ("[" + name + "] lacks " + key);
    return found;
  }

  double
  value (const char *key, double otherwise)
  {
    std::string found = text (key);
    return found.empty () ? otherwise : number (found, "[" + name + "] " + key);
  }

  bool
  flag (const char *key, bool otherwise)
  {
    std::string found = text (key, otherwise ? "true" : "false");
    if (found != "true" && found != "false")
      fail ("neither true nor false: [" + name + "] " + key + "=" + found);
    return found == "true";
  }

  std::vector<CapacityStep>
  steps (const char *key)
  {
    std::string found = text (key);
    return found.empty () ? std::vector<CapacityStep> () : schedule (found, "[" + name + "] " + key);
  }

  template <typename T>
  T
  one_of (const char *key, const char *otherwise, const std::map<std::string, T> &choices)
  {
    std::string found = text (key, otherwise);
    auto choice = choices.find (found);
    if (choice == choices.end ())
      fail ("[" + name + "] " + key + " cannot be " + found);
    return choice->second;
  }

  void
  check () const
  {
    gchar **keys = g_key_file_get_keys (file, name.c_str (), nullptr, nullptr);
    for (gchar **key = keys; key && *key; key++)
      if (!asked.count (*key))
        fail ("[" + name + "] " + *key + " is not known");
    g_strfreev (keys);
  }

private:
  GKeyFile *file;
  std::string name;
  std::set<std::string> asked;
};

static LossSpec
read_loss (Group &g)
{
  double share = g.value ("loss", 0), burst = g.value ("burst", 0);
  LossSpec loss;

  if (share >= 1)
    fail ("loss is a share below 1");
  if (share > 0 && burst > 1)
    return bursty_loss (share, burst);
  loss.good_loss = share;
  return loss;
}

static void
read_capacity (Group &g, ChainLinkSpec *spec)
{
  std::string trace = g.text ("trace");

  spec->link.schedule = g.steps ("capacity");
  if (!trace.empty ()) {
    spec->chances_s = read_chances (trace);
    spec->link.bps = spec->chances_s.size () * 1500 * 8 / spec->chances_s.back ();
    spec->link.schedule.clear ();
  } else if (!spec->link.schedule.empty ()) {
    spec->link.bps = spec->link.schedule.front ().bps;
    spec->link.schedule.erase (spec->link.schedule.begin ());
  }
}

/* paqmshaper's defaults, and as much room as other disciplines have. */
static void
size_paqm (Group &g, LinkSpec *link)
{
  PaqmParams &params = link->queue.paqm.params;

  params.flow_life = cc_duration (g.value ("flow-life", 2));
  params.target_delay[PAQM_MEDIA] = cc_duration (g.value ("media-target-time", 0.02));
  params.target_delay[PAQM_ELASTIC] = 100 * CC_MSECOND;
  params.limit_bytes[PAQM_MEDIA] = params.limit_bytes[PAQM_ELASTIC] =
      std::max (link->queue.ms / 1000 * link->bps / 8, 3000.0);
}

static ChainLinkSpec
read_link (Group g, double delay_s)
{
  static const std::map<std::string, QueueKind> kinds = {{"droptail", QueueKind::droptail}, {"red", QueueKind::red},
      {"ared", QueueKind::red}, {"codel", QueueKind::codel}, {"fq_codel", QueueKind::fq_codel}, {"pie", QueueKind::pie},
      {"p-aqm", QueueKind::paqm}};
  ChainLinkSpec spec;

  read_capacity (g, &spec);
  spec.link.delay_ms = g.value ("delay", delay_s) * 1000;
  spec.link.queue.ms = g.value ("queue", 0.3) * 1000;
  spec.link.queue.kind = g.one_of ("discipline", "droptail", kinds);
  spec.link.queue.adaptive = g.text ("discipline") == "ared";
  spec.link.queue.ecn = g.flag ("ecn", false);
  spec.link.loss = read_loss (g);
  spec.link.jitter_std_ms = g.value ("jitter", 0) * 1000;
  spec.reorder = g.flag ("reorder", false);
  if (spec.link.queue.kind == QueueKind::paqm)
    size_paqm (g, &spec.link);
  g.check ();
  return spec;
}

static ChainHopSpec
read_hop (GKeyFile *file, unsigned number)
{
  std::string back = format ("reverse %u", number);
  ChainHopSpec hop;

  if (number == 0 && g_key_file_has_group (file, "reverse"))
    back = "reverse";
  hop.forward = read_link (Group (file, format ("hop %u", number)), 0.05);
  hop.backward = read_link (Group (file, back), hop.forward.link.delay_ms / 1000);
  return hop;
}

static void
read_pause (Group &g, LabFlow *f)
{
  std::string pause = g.text ("pause");
  size_t comma = pause.find (',');

  f->pause_from_s = f->pause_to_s = 1e9;
  if (pause.empty ())
    return;
  if (comma == std::string::npos)
    fail ("a pause is FROM,TO: " + pause);
  f->pause_from_s = number (pause.substr (0, comma), "pause");
  f->pause_to_s = number (pause.substr (comma + 1), "pause");
}

static void
read_control (Group &g, LabFlow *f)
{
  f->controller = g.must ("controller");
  f->fps = g.value ("fps", 30);
  f->min_bps = g.value ("min", 30e3);
  f->max_bps = g.value ("max", 20e6);
  f->start_bps = g.value ("start-rate", 300e3);
  f->max_delay_s = g.value ("max-delay", 0);
  f->weight = g.value ("weight", 1);
  f->rates = g.steps ("rates");
  if (f->controller.rfind ("fixed:", 0) == 0)
    f->rates = schedule (f->controller.substr (6), "controller");
}

static void
read_video (Group &g, LabFlow *f)
{
  f->clip = g.must ("clip");
  f->width = g.value ("width", 352);
  f->height = g.value ("height", 288);
  f->send = g.must ("send");
  f->knob = g.text ("knob");
  f->knob_unit = g.value ("unit", 1);
  f->encoding_name = g.must ("encoding-name");
  f->depay = g.must ("depay");
  f->decode = g.must ("decode");
  f->record = g.text ("record");
  f->latency_s = g.value ("latency", 0.1);
  read_pause (g, f);
}

static LabFlow
read_flow (Group g, const LabJob &job)
{
  static const std::map<std::string, LabKind> kinds = {{"video", LabKind::video}, {"recorded", LabKind::recorded},
      {"tcp", LabKind::tcp}, {"short-tcp", LabKind::short_tcp}, {"udp", LabKind::udp}, {"audio", LabKind::audio}};
  static const std::map<std::string, TcpKind> tcps = {
      {"newreno", TcpKind::newreno}, {"cubic", TcpKind::cubic}, {"bbr", TcpKind::bbr}};
  LabFlow f = {};

  f.kind_name = g.must ("kind");
  f.kind = g.one_of ("kind", "", kinds);
  f.start_s = g.value ("start", 0);
  f.stop_s = std::min (g.value ("stop", job.duration_s), job.duration_s);
  f.place.access_delay_s = g.value ("access-delay", 0);
  f.place.access_bps = g.value ("access-rate", 0);
  f.ect = g.flag ("ect", false);
  f.place.enter = g.value ("enter", 0);
  f.place.leave = g.value ("leave", job.hops.size () - 1);
  f.forward = g.one_of<bool> ("direction", "forward", {{"forward", true}, {"reverse", false}});
  if (f.place.enter > f.place.leave || f.place.leave >= job.hops.size ())
    fail ("a flow enters or leaves at no hop");
  if (f.kind == LabKind::video || f.kind == LabKind::recorded)
    read_control (g, &f);
  if (f.kind == LabKind::video)
    read_video (g, &f);
  f.tcp = g.one_of ("tcp", "cubic", tcps);
  f.short_flows = g.value ("flows", 10);
  f.short_on = g.value ("on", 2);
  f.short_idle_s = g.value ("idle", 10);
  f.rate_bps = g.value ("rate", f.kind == LabKind::audio ? 20e3 : 0);
  f.packet_bytes = g.value ("packet", 1500);
  g.check ();
  return f;
}

/* Groups "NAME 0", "NAME 1", ... in a row. */
static unsigned
count_groups (GKeyFile *file, const char *name)
{
  unsigned n = 0;

  while (g_key_file_has_group (file, format ("%s %u", name, n).c_str ()))
    n++;
  return n;
}

LabJob
read_lab_job (const std::string &path)
{
  GKeyFile *file = g_key_file_new ();
  GError *error = nullptr;
  Group head (file, "job");
  LabJob job;

  if (!g_key_file_load_from_file (file, path.c_str (), G_KEY_FILE_NONE, &error))
    fail (path + ": " + error->message);
  job.seed = head.value ("seed", 1);
  job.duration_s = head.value ("duration", 60);
  job.out = head.must ("out");
  head.check ();
  for (unsigned i = 0, n = count_groups (file, "hop"); i < n; i++)
    job.hops.push_back (read_hop (file, i));
  if (job.hops.empty ())
    fail (path + " has no [hop 0]");
  for (unsigned i = 0, n = count_groups (file, "flow"); i < n; i++)
    job.flows.push_back (read_flow (Group (file, format ("flow %u", i)), job));
  g_key_file_free (file);
  return job;
}

} // namespace sim
