/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lawablation.h"
#include <stdlib.h>
#include <string.h>

double
law_number_of (const char *name, double value)
{
  const char *at = getenv ("LAW_NUMBERS");
  size_t length = strlen (name);

  for (; at && *at; at = strchr (at, ',') ? strchr (at, ',') + 1 : NULL)
    if (strncmp (at, name, length) == 0 && at[length] == '=')
      return strtod (at + length + 1, NULL);
  return value;
}
