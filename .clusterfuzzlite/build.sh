#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The fuzz targets as OSS-Fuzz and ClusterFuzzLite build them: CC, CFLAGS, LIB_FUZZING_ENGINE and OUT are theirs. The
# core needs a C compiler and libm, so this is all. Elsewhere: tests/fuzz/run.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
[ -d "$top/gst/congestion" ] || top=$SRC/gst-plugins-congestion
objects=$(mktemp -d)
includes="-I$top/gst/congestion -I$top/gst/congestion/law -I$top/gst/congestion/paqm -I$top/gst/congestion/rtp -I$top/gst/congestion/tfrc -I$top/tests/check/congestion/rtp"
for source in "$top"/gst/congestion/*.c "$top"/gst/congestion/*/*.c; do
  # shellcheck disable=SC2086
  $CC $CFLAGS -std=gnu11 $includes -c "$source" -o "$objects/$(basename "$source" .c).o"
done
for target in "$top"/tests/fuzz/*.c; do
  name=$(basename "$target" .c)
  grep -q '^LLVMFuzzerTestOneInput' "$target" || continue
  # shellcheck disable=SC2086
  $CC $CFLAGS -std=gnu11 $includes "$target" "$top/tests/fuzz/libfuzzer.c" "$objects"/*.o -o "$OUT/fuzz-$name" \
    $LIB_FUZZING_ENGINE -lm
  folder=$(mktemp -d)
  "$top/tests/fuzz/corpora" unpack "$name" "$folder"
  [ -z "$(ls "$folder")" ] || (cd "$folder" && python3 -m zipfile -c "$OUT/fuzz-${name}_seed_corpus.zip" ./*)
done
