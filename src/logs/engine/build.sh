#!/bin/sh
# Makes engine-binary.ts of the C beside it: `sh src/logs/engine/build.sh`, or with `--check` says whether the one that is
# there is the one that would be made (the same version of clang makes the same bytes). Needs clang with WebAssembly and its linker
# (Debian: apt-get install clang lld). Nothing of that is needed to run or to test what is committed.
set -eu
cd "$(dirname "$0")"
sources='engine.c engine.h fields.h hash.h tally.h'
read_by_the_host='totals statuses sizes registers hours given caches topPaths topMissing topErrors failures topAgents
  topCountries topReferers edgeLocations topClients'
made=$(mktemp)
binary=$(mktemp)
trap 'rm -f "$made" "$binary"' EXIT
clang --target=wasm32 -std=c11 -O3 -msimd128 -mbulk-memory -mnontrapping-fptoint -ffreestanding -nostdlib \
  -Wall -Wextra -Werror -Wl,--no-entry,--strip-all,-z,stack-size=16384 \
  $(printf -- '-Wl,--export=%s ' $read_by_the_host) -o "$binary" engine.c
cat >"$made" <<END
// Made by build.sh with $(clang --version | head -n 1 | grep -o 'clang version [0-9.]*'); not to be edited.

/** The SHA-256 of the C that this was made of ($sources), one file after the other. */
export const SOURCES = '$(cat $sources | sha256sum | cut -d ' ' -f 1)';

/** The WebAssembly module, $(wc -c <"$binary") bytes, as base64. */
export const ENGINE =
  '$(base64 -w 0 "$binary")';
END
if [ "${1-}" = --check ]; then
  cmp "$made" engine-binary.ts
else
  cat "$made" >engine-binary.ts
fi
echo "engine-binary.ts: $(wc -c <"$binary") bytes of WebAssembly"
