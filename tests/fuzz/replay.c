/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz-<target> [--runs N] [--seed S] [--corpus HEX] [file...]: runs the files and the inputs of HEX, one a line, and
   with --runs N mutations of them and of the target's own inputs. The same seed gives the same inputs. An input that
   ends in a signal is left in fuzz-failure.bin (with ASAN_OPTIONS=abort_on_error=1 for the sanitizer's findings). */
#include "fuzz.h"
#include "ccrandom.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#define MAX_INPUT 4096
#define MAX_CORPUS 256

static FuzzSeed corpus[MAX_CORPUS];
static size_t n_corpus;
static uint8_t input[MAX_INPUT];
static size_t input_size;
static CcRandom source;

static void
keep_input (int signum)
{
  int fd = open ("fuzz-failure.bin", O_WRONLY | O_CREAT | O_TRUNC, 0644);

  if (fd >= 0 && write (fd, input, input_size) == (ssize_t)input_size)
    close (fd);
  signal (signum, SIG_DFL);
  raise (signum);
}

static size_t
below (size_t n)
{
  return n > 0 ? source.next (source.user) % n : 0;
}

static void
insert (size_t offset, size_t n)
{
  if (input_size + n > MAX_INPUT)
    return;
  memmove (input + offset + n, input + offset, input_size - offset);
  for (size_t i = 0; i < n; i++)
    input[offset + i] = (uint8_t)below (256);
  input_size += n;
}

static void
cut (size_t offset, size_t n)
{
  n = n < input_size - offset ? n : input_size - offset;
  memmove (input + offset, input + offset + n, input_size - offset - n);
  input_size -= n;
}

static void
splice (void)
{
  const FuzzSeed *other = &corpus[below (n_corpus)];
  size_t from = below (other->size), to = below (input_size);
  size_t n = other->size - from < MAX_INPUT - to ? other->size - from : MAX_INPUT - to;

  memcpy (input + to, (const uint8_t *)other->data + from, n);
  input_size = to + n;
}

static void
mutate (void)
{
  static const uint8_t edges[] = {0, 1, 0x0f, 0x10, 0x7f, 0x80, 0xf0, 0xfe, 0xff};
  size_t offset = below (input_size);

  switch (below (7)) {
  case 0:
    if (input_size > 0)
      input[offset] ^= (uint8_t)(1 << below (8));
    break;
  case 1:
    if (input_size > 0)
      input[offset] = (uint8_t)below (256);
    break;
  case 2:
    if (input_size > 0)
      input[offset] = edges[below (sizeof edges)];
    break;
  case 3:
    insert (offset, 1 + below (8));
    break;
  case 4:
    insert (input_size, 1 + below (128));
    break;
  case 5:
    cut (offset, 1 + below (8));
    break;
  default:
    splice ();
  }
}

static void
run_mutations (uint64_t runs)
{
  for (uint64_t i = 0; i < runs; i++) {
    const FuzzSeed *start = &corpus[below (n_corpus)];
    input_size = start->size;
    memcpy (input, start->data, input_size);
    for (size_t n = 1 + below (8); n > 0; n--)
      mutate ();
    LLVMFuzzerTestOneInput (input, input_size);
  }
}

static void
add (const void *data, size_t size)
{
  if (n_corpus < MAX_CORPUS && size <= MAX_INPUT)
    corpus[n_corpus++] = (FuzzSeed){data, size};
}

static void
add_file (const char *name)
{
  uint8_t *data = malloc (MAX_INPUT);
  FILE *file = fopen (name, "rb");

  if (data == NULL || file == NULL) {
    perror (name);
    exit (EXIT_FAILURE);
  }
  add (data, fread (data, 1, MAX_INPUT, file));
  fclose (file);
}

/* Pairs of digits to the end of the line. */
static void
add_line (const char *line)
{
  uint8_t *data = malloc (MAX_INPUT);
  size_t size = 0;
  unsigned byte;

  while (data != NULL && size < MAX_INPUT && sscanf (line + 2 * size, "%2x", &byte) == 1)
    data[size++] = (uint8_t)byte;
  if (size > 0)
    add (data, size);
}

static void
add_corpus (const char *name)
{
  static char line[2 * MAX_INPUT + 2];
  FILE *file = fopen (name, "r");

  if (file == NULL) {
    perror (name);
    exit (EXIT_FAILURE);
  }
  while (fgets (line, sizeof line, file) != NULL)
    add_line (line);
  fclose (file);
}

int
main (int argc, char **argv)
{
  uint64_t runs = 0, seed = 1;
  CcPcg32 pcg;

  for (int i = 1; i < argc; i++) {
    if (strncmp (argv[i], "--runs=", 7) == 0)
      runs = strtoull (argv[i] + 7, NULL, 10);
    else if (strcmp (argv[i], "--runs") == 0 && i + 1 < argc)
      runs = strtoull (argv[++i], NULL, 10);
    else if (strcmp (argv[i], "--seed") == 0 && i + 1 < argc)
      seed = strtoull (argv[++i], NULL, 10);
    else if (strcmp (argv[i], "--corpus") == 0 && i + 1 < argc)
      add_corpus (argv[++i]);
    else
      add_file (argv[i]);
  }
  if (runs > 0 || n_corpus == 0) {
    for (const FuzzSeed *s = fuzz_seeds; s->data != NULL; s++)
      add (s->data, s->size);
  }
  signal (SIGABRT, keep_input);
  signal (SIGSEGV, keep_input);
  signal (SIGFPE, keep_input);
  source = cc_pcg32_init (&pcg, seed);
  for (size_t i = 0; i < n_corpus; i++) {
    input_size = corpus[i].size;
    memcpy (input, corpus[i].data, input_size);
    LLVMFuzzerTestOneInput (input, input_size);
  }
  run_mutations (runs);
  printf ("%zu inputs, %llu mutations, seed %llu\n", n_corpus, (unsigned long long)runs, (unsigned long long)seed);
  return EXIT_SUCCESS;
}
