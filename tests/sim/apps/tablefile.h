/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A CSV file that grows with the run. */
#ifndef SIM_TABLE_FILE_H
#define SIM_TABLE_FILE_H

#include <cstdio>
#include <string>

namespace sim
{

class TableFile
{
public:
  /* Ends the program where path cannot be written. header: names with commas between, or several lines. */
  TableFile (const std::string &path, const std::string &header);
  ~TableFile ();
  TableFile (const TableFile &) = delete;
  TableFile &operator= (const TableFile &) = delete;
  void row (const char *pattern, ...) __attribute__ ((format (printf, 2, 3)));
  void flush (); /* for readers beside */

private:
  FILE *file;
};

} // namespace sim
#endif
