/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scenario.h"
#include "dumbbell.h"
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sim
{

std::string
format (const char *pattern, ...)
{
  char text[512];
  va_list args;

  va_start (args, pattern);
  vsnprintf (text, sizeof text, pattern, args);
  va_end (args);
  return text;
}

static FILE *
open_in (const std::string &directory, const std::string &name)
{
  FILE *file;

  mkdir (directory.c_str (), 0777);
  file = fopen ((directory + "/" + name).c_str (), "w");
  if (!file) {
    perror (directory.c_str ());
    exit (2);
  }
  return file;
}

/* What did not reach the disk is no result. */
static void
close_whole (FILE *file)
{
  bool broken = ferror (file);

  if (fclose (file) || broken) {
    perror ("results are not written");
    exit (2);
  }
}

static std::string
json_string (const std::string &text)
{
  std::string out = "\"";

  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out + "\"";
}

Report::Report (const Options &options) : opts (options)
{
}

Report::~Report ()
{
  close_table ();
}

static std::string
json_number (double value)
{
  return std::isfinite (value) ? format ("%.6g", value) : "null";
}

static std::string
json_bounds (const Bounds &b)
{
  return "[" + json_number (b.low) + ", " + json_number (b.high) + ", " + json_number (b.worst_low) + ", " +
         json_number (b.worst_high) + "]";
}

void
Report::close_table ()
{
  if (!table)
    return;
  fputs ("\n]}\n", table);
  close_whole (table);
  table = nullptr;
}

const Options &
Report::options () const
{
  return opts;
}

void
Report::begin (const std::string &name, const std::string &claim)
{
  close_table ();
  if (opts.tables) {
    table = open_in (opts.csv_dir, opts.program + "-" + name + ".json");
    fprintf (table, "{\"title\": %s, \"rows\": [", json_string (claim).c_str ());
    separator = "";
  }
  printf ("\n%s: %s\n", name.c_str (), claim.c_str ());
  printf ("  %-46s %12s %18s %22s\n", "", "ours", "budget", "published");
}

void
Report::line (
    const std::string &what, double ours, const Bounds &bounds, const std::string &published, const char *verdict)
{
  std::string budget = *verdict ? format ("%.4g..%.4g", bounds.low, bounds.high) : "";

  printf ("  %-46s %12.5g %18s %22s  %s\n", what.c_str (), ours, budget.c_str (), published.c_str (), verdict);
  fflush (stdout);
  if (!table)
    return;
  fprintf (table,
      "%s\n  {\"what\": %s, \"published\": %s, \"ours\": %s, \"budget\": %s, \"bounds\": %s, \"ok\": %s, "
      "\"verdict\": \"%s\"}",
      separator, json_string (what).c_str (), json_string (published).c_str (), json_number (ours).c_str (),
      json_string (budget).c_str (), *verdict ? json_bounds (bounds).c_str () : "null",
      !*verdict                 ? "null"
      : !strcmp (verdict, "ok") ? "true"
                                : "false",
      verdict);
  separator = ",";
}

bool
Report::check (const std::string &what, double ours, double low, double high, const std::string &published)
{
  bool ok = ours >= low && ours <= high;

  line (what, ours, {low, high, low, high}, published, ok ? "ok" : "FAIL");
  tally.passed += ok;
  tally.failed += !ok;
  return ok;
}

bool
Report::target (const std::string &what, double ours, double low, double high, double worst_low, double worst_high,
    const std::string &published)
{
  bool met = ours >= low && ours <= high, ok = met || (ours >= worst_low && ours <= worst_high);

  line (what, ours, {low, high, worst_low, worst_high}, published, met ? "ok" : ok ? "MISSED, known" : "FAIL");
  tally.passed += met;
  tally.missed += ok && !met;
  tally.failed += !ok;
  return ok;
}

void
Report::note (const std::string &what, double ours, const std::string &published)
{
  line (what, ours, {}, published, "");
}

void
Report::skip (const std::string &why)
{
  printf ("  %s\n", why.c_str ());
  tally.skipped++;
}

Tally
Report::end ()
{
  close_table ();
  return tally;
}

void
Report::add (const Tally &more)
{
  tally.passed += more.passed;
  tally.failed += more.failed;
  tally.missed += more.missed;
  tally.skipped += more.skipped;
}

int
Report::finish (unsigned scenarios) const
{
  printf ("\n%u checks passed, %u failed, %u known misses (seed %llu)\n", tally.passed, tally.failed, tally.missed,
      (unsigned long long)opts.seed);
  if (tally.skipped)
    printf ("%u of %u scenarios skipped\n", tally.skipped, scenarios);
  return tally.failed ? 1 : tally.skipped && tally.skipped == scenarios ? 77 : 0;
}

Csv::Csv (const Options &options, const std::string &name, const std::string &header) : file (nullptr)
{
  if (options.csv_dir.empty ())
    return;
  file = open_in (options.csv_dir, name + ".csv");
  fprintf (file, "%s\n", header.c_str ());
}

Csv::~Csv ()
{
  if (file)
    close_whole (file);
}

void
Csv::row (const std::vector<double> &values, const std::string &label)
{
  if (!file)
    return;
  if (!label.empty ())
    fprintf (file, "%s,", label.c_str ());
  for (size_t i = 0; i < values.size (); i++)
    fprintf (file, "%s%.7g", i ? "," : "", values[i]);
  fputc ('\n', file);
}

/* "sim-burst" in any directory is "burst". */
static std::string
program_name (const std::string &path)
{
  std::string name = path.substr (path.rfind ('/') + 1);

  return name.compare (0, 4, "sim-") == 0 ? name.substr (4) : name;
}

static int
usage (const std::string &program, FILE *to)
{
  fprintf (to,
      "usage: sim-%s [--quick] [--seed N] [--csv DIR | --out DIR] [--list] [NAME-PREFIX...]\n"
      "  --list says which scenarios there are; docs/simulation.md what they show\n",
      program.c_str ());
  return to == stdout ? 0 : 2;
}

static bool
number_of (const char *text, uint64_t &number)
{
  char *end;

  errno = 0;
  number = strtoull (text, &end, 10);
  return isdigit (*text) && !*end && !errno;
}

/* A whole name means that one alone, although others begin with it. */
static bool
selected (const std::string &name, const std::vector<Scenario> &scenarios, const std::vector<std::string> &prefixes)
{
  for (const std::string &prefix : prefixes) {
    bool whole = false;
    for (const Scenario &scenario : scenarios)
      whole |= scenario.name == prefix;
    if (whole ? name == prefix : name.compare (0, prefix.size (), prefix) == 0)
      return true;
  }
  return prefixes.empty ();
}

/* In the process made for it. */
[[noreturn]] static void
run_here (const Options &options, const Scenario &scenario, int to_parent)
{
  Report report (options);
  int status = 0;

  sim_seed (options.seed);
  report.begin (scenario.name, scenario.claim);
  scenario.run (report);
  Tally tally = report.end ();
  if (write (to_parent, &tally, sizeof tally) != (ssize_t)sizeof tally)
    status = 1;
  exit (status);
}

/* ns-3 numbers random streams, addresses and ports for the process, and so does what runs here: after another scenario
   one would draw other numbers. */
static Tally
run_apart (const Options &options, const Scenario &scenario)
{
  Tally tally;
  int ends[2], status = 0;

  fflush (nullptr);
  if (pipe (ends)) {
    perror ("pipe");
    exit (2);
  }
  pid_t child = fork ();
  if (child == 0)
    run_here (options, scenario, ends[1]);
  close (ends[1]);
  bool ended = child > 0 && read (ends[0], &tally, sizeof tally) == (ssize_t)sizeof tally;
  close (ends[0]);
  if (child > 0)
    waitpid (child, &status, 0);
  if (!ended || status != 0) {
    printf ("  %s did not end (status %#x)\n", scenario.name.c_str (), status);
    tally.failed++;
  }
  return tally;
}

struct Wanted {
  Options options;
  std::vector<std::string> prefixes;
  bool list = false, help = false;
};

static bool
parse (int argc, char **argv, Wanted &wanted)
{
  Options &options = wanted.options;

  options.program = program_name (argv[0]);
  for (int i = 1; i < argc; i++) {
    bool value = i + 1 < argc;
    if (!strcmp (argv[i], "--quick"))
      options.quick = true;
    else if (!strcmp (argv[i], "--list"))
      wanted.list = true;
    else if (!strcmp (argv[i], "--help"))
      wanted.help = true;
    else if (!strcmp (argv[i], "--seed") && value && number_of (argv[i + 1], options.seed))
      i++;
    else if (!strcmp (argv[i], "--csv") && value)
      options.csv_dir = argv[++i];
    else if (!strcmp (argv[i], "--out") && value) {
      options.csv_dir = argv[++i];
      options.tables = true;
    } else if (argv[i][0] == '-')
      return false;
    else
      wanted.prefixes.push_back (argv[i]);
  }
  return true;
}

/* Before anything runs, as it may take hours. */
static bool
is_writable (const std::string &directory)
{
  if (directory.empty ())
    return true;
  mkdir (directory.c_str (), 0777);
  if (access ((directory + "/").c_str (), W_OK | X_OK) == 0)
    return true;
  fprintf (stderr, "no results can be written to %s: %s\n", directory.c_str (), strerror (errno));
  return false;
}

static std::vector<Scenario>
choose (const Wanted &wanted, const std::vector<Scenario> &scenarios)
{
  std::vector<Scenario> chosen;

  for (const Scenario &scenario : scenarios)
    if ((!wanted.options.quick || scenario.in_quick) && selected (scenario.name, scenarios, wanted.prefixes))
      chosen.push_back (scenario);
  return chosen;
}

/* A word that names nothing: nothing run is not all passed. */
static const std::string *
unknown (const std::vector<Scenario> &scenarios, const std::vector<std::string> &prefixes)
{
  for (const std::string &prefix : prefixes) {
    bool known = false;
    for (const Scenario &scenario : scenarios)
      known |= selected (scenario.name, scenarios, {prefix});
    if (!known)
      return &prefix;
  }
  return nullptr;
}

int
run_scenarios (int argc, char **argv, const std::vector<Scenario> &scenarios)
{
  Wanted wanted;

  if (!parse (argc, argv, wanted))
    return usage (wanted.options.program, stderr);
  if (wanted.help)
    return usage (wanted.options.program, stdout);
  if (const std::string *word = unknown (scenarios, wanted.prefixes)) {
    fprintf (stderr, "no scenario begins with %s; --list says which there are\n", word->c_str ());
    return 2;
  }
  std::vector<Scenario> chosen = choose (wanted, scenarios);
  if (wanted.list) {
    for (const Scenario &scenario : chosen)
      printf ("%-24s %s\n", scenario.name.c_str (), scenario.claim.c_str ());
    return 0;
  }
  if (chosen.empty ())
    fprintf (stderr, "nothing of this has a short variant: leave --quick out\n");
  if (chosen.empty () || !is_writable (wanted.options.csv_dir))
    return 2;
  Report report (wanted.options);
  for (const Scenario &scenario : chosen)
    report.add (run_apart (wanted.options, scenario));
  return report.finish (chosen.size ());
}

} // namespace sim
