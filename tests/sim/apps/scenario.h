/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What every scenario program shares: a list of scenarios with a claim each, a table of checks with the published
   figure beside ours, CSV files, options and the exit status.

     program [--quick] [--seed N] [--csv DIR | --out DIR] [--list] [--help] [NAME or PREFIX...]

   --out writes the series like --csv and each scenario's table beside them, PROGRAM-SCENARIO.json:
     {"title": claim, "rows": [{"what", "published", "ours", "budget",
      "bounds": [low, high, worst low, worst high] or null (null in it: none), "ok": true, false or null without budget,
      "verdict": "ok", "MISSED, known", "FAIL" or ""}]}
   --quick runs the short variant of each scenario and asserts only what holds in it. Exit status: 0 all checks passed,
   1 a check failed, 2 wrong usage (a name that none has, too) or results that cannot be written, 77 all scenarios were
   skipped.

   Each scenario runs in a process of its own: what it gives is a matter of its name, the seed and --quick alone, to the
   bit, whatever else was asked for. */
#ifndef SIM_SCENARIO_H
#define SIM_SCENARIO_H

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace sim
{

struct Options {
  std::string program;
  bool quick = false;
  uint64_t seed = 1;
  std::string csv_dir; /* empty: none written */
  bool tables = false; /* PROGRAM-SCENARIO.json too */
};

/* Where a figure is to be, and outside which it fails; the same but for a target that is known to be missed. */
struct Bounds {
  double low, high, worst_low, worst_high;
};

/* How many checks, and scenarios that were left out. */
struct Tally {
  unsigned passed = 0, failed = 0, missed = 0, skipped = 0;
};

class Report
{
public:
  explicit Report (const Options &options);
  ~Report ();
  Report (const Report &) = delete;
  Report &operator= (const Report &) = delete;
  const Options &options () const;

  void begin (const std::string &scenario, const std::string &claim);
  /* One line of the table; fails outside [low, high]. published: free text, "-" where there is none. */
  bool check (const std::string &what, double ours, double low, double high, const std::string &published = "-");
  /* A target we are known to miss, shown as such: fails only outside [worst_low, worst_high]. */
  bool target (const std::string &what, double ours, double low, double high, double worst_low, double worst_high,
      const std::string &published = "-");
  /* A line without budget. */
  void note (const std::string &what, double ours, const std::string &published = "-");
  /* The scenario cannot run here. */
  void skip (const std::string &why);
  /* The scenario that began is over; what it has counted. */
  Tally end ();
  void add (const Tally &more);
  int finish (unsigned scenarios) const; /* prints the sum, returns the exit status */

private:
  void line (
      const std::string &what, double ours, const Bounds &bounds, const std::string &published, const char *verdict);
  void close_table ();
  Options opts;
  FILE *table = nullptr;
  const char *separator = "";
  Tally tally;
};

/* A CSV file in options.csv_dir, or nowhere. */
class Csv
{
public:
  Csv (const Options &options, const std::string &name, const std::string &header);
  ~Csv ();
  Csv (const Csv &) = delete;
  Csv &operator= (const Csv &) = delete;
  void row (const std::vector<double> &values, const std::string &label = "");

private:
  FILE *file;
};

struct Scenario {
  std::string name, claim;
  bool in_quick;
  std::function<void (Report &)> run;
};

int run_scenarios (int argc, char **argv, const std::vector<Scenario> &scenarios);

std::string format (const char *pattern, ...) __attribute__ ((format (printf, 1, 2)));

} // namespace sim
#endif
