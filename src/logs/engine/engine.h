// What the parts of the log engine share. It is freestanding C for WebAssembly with 128-bit SIMD: no library, no allocation,
// every table has its greatest size from the beginning (memory that is never touched costs nothing).
#pragma once
#include <stdint.h>
#include <wasm_simd128.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef double f64;

#define EXPORT(name) __attribute__((export_name(#name)))
#define INLINE static inline __attribute__((always_inline))
#define OUTLINE static __attribute__((noinline))
#define LIKELY(x) __builtin_expect(!!(x), 1)

// Loads of 16 bytes may reach this far before and behind what they are about.
#define PADDING 64

// The fields of a v1 line, in their order.
enum { CACHE, STATUS, TIME, BYTES, ZONE, ADDRESS, REFERER, URL, EDGE, AGENT, REQUEST, COUNTRY, FIELDS };

// Some bytes of the input.
typedef struct {
  const u8 *at;
  u32 length;
} Span;

INLINE v128_t load16(const u8 *at) { return wasm_v128_load(at); }

// The first `length` (0 to 16) of 16 bytes, and zeros.
INLINE v128_t load_part(const u8 *at, u32 length) {
  static const u8 ones[32] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
  return wasm_v128_and(wasm_v128_load(at), wasm_v128_load(ones + 16 - length));
}

// The same bytes. Blocks at the end overlap those before them.
INLINE int is_same(Span one, Span other) {
  if (one.length != other.length) return 0;
  const u8 *a = one.at, *b = other.at, *last = a + one.length - 16;
  if (one.length <= 16)
    return !wasm_v128_any_true(wasm_v128_xor(load_part(a, one.length), load_part(b, one.length)));
  v128_t different = wasm_v128_xor(load16(last), load16(b + one.length - 16));
  for (; a < last; a += 16, b += 16) different = wasm_v128_or(different, wasm_v128_xor(load16(a), load16(b)));
  return !wasm_v128_any_true(different);
}

// Nothing, or the `-` that stands for nothing.
INLINE int is_absent(Span span) { return span.length == 0 || (span.length == 1 && *span.at == '-'); }
