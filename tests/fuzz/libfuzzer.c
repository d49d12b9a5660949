/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* With libFuzzer in replay.c's place: a target's valid inputs are written to the folder FUZZ_SEEDS, which libFuzzer is
   then given as its corpus. */
#include "fuzz.h"

int LLVMFuzzerInitialize (int *argc, char ***argv);

static void
write_seed (const char *folder, unsigned number, const FuzzSeed *seed)
{
  char name[4096];
  FILE *file;

  snprintf (name, sizeof name, "%s/seed-%u", folder, number);
  file = fopen (name, "wb");
  FUZZ_CHECK (file != NULL);
  FUZZ_CHECK (fwrite (seed->data, 1, seed->size, file) == seed->size);
  FUZZ_CHECK (fclose (file) == 0);
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  const char *folder = getenv ("FUZZ_SEEDS");

  (void)argc, (void)argv;
  for (unsigned i = 0; folder != NULL && fuzz_seeds[i].data != NULL; i++)
    write_seed (folder, i, &fuzz_seeds[i]);
  return 0;
}
