/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tablefile.h"
#include <cstdarg>
#include <ns3/abort.h>

namespace sim
{

TableFile::TableFile (const std::string &path, const std::string &header) : file (fopen (path.c_str (), "w"))
{
  NS_ABORT_MSG_UNLESS (file, "cannot write " << path);
  fprintf (file, "%s\n", header.c_str ());
}

TableFile::~TableFile ()
{
  NS_ABORT_MSG_IF (fclose (file) != 0, "a table could not be written to its end: is the disk full?");
}

void
TableFile::row (const char *pattern, ...)
{
  va_list arguments;

  va_start (arguments, pattern);
  vfprintf (file, pattern, arguments);
  va_end (arguments);
  fputc ('\n', file);
}

void
TableFile::flush ()
{
  fflush (file);
}

} // namespace sim
