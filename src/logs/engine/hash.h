// Hashes of byte strings, with which nobody who does not know the key can make values meet.
#pragma once
#include "engine.h"

// Longer values are counted by their beginning. A multiple of 64, what one step takes.
#define LONGEST_KEY 1024

// Random numbers: one for each block of 16 bytes, two more for the second sum, and what spreads the sums.
typedef struct {
  v128_t blocks[LONGEST_KEY / 16 + 2];
  u64 spread[2];
} HashKey;

INLINE u64 mixed(u64 x) {
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
  return x ^ x >> 32;
}

static void fill_key(HashKey *key, u64 seed) {
  u64 *words = (u64 *)key;
  for (u32 at = 0; at < sizeof(HashKey) / sizeof(u64); at += 1) words[at] = mixed(seed += 0x9e3779b97f4a7c15u);
  key->spread[0] |= 1;
  key->spread[1] |= 1;
}

// Four products of two 32-bit words each.
INLINE v128_t products(v128_t a, v128_t b) {
  return wasm_i64x2_add(wasm_u64x2_extmul_low_u32x4(a, b), wasm_u64x2_extmul_high_u32x4(a, b));
}

INLINE u64 both(v128_t sums) { return wasm_u64x2_extract_lane(sums, 0) + wasm_u64x2_extract_lane(sums, 1); }

typedef struct {
  v128_t one, other;
} Sums;

// Two sums over 64 bytes in four blocks, each with the numbers of the key that are meant for it.
INLINE Sums add_blocks(Sums sums, const v128_t *key, v128_t a, v128_t b, v128_t c, v128_t d) {
  sums.one = wasm_i64x2_add(sums.one, products(wasm_i32x4_add(a, key[0]), wasm_i32x4_add(b, key[1])));
  sums.one = wasm_i64x2_add(sums.one, products(wasm_i32x4_add(c, key[2]), wasm_i32x4_add(d, key[3])));
  sums.other = wasm_i64x2_add(sums.other, products(wasm_i32x4_add(a, key[2]), wasm_i32x4_add(b, key[3])));
  sums.other = wasm_i64x2_add(sums.other, products(wasm_i32x4_add(c, key[4]), wasm_i32x4_add(d, key[5])));
  return sums;
}

// NH, the hash of UMAC: words of the value, each with a word of the key added, are multiplied two by two, and the products
// summed up. For any two values of the same length the chance to meet is 2^-32 for one such sum, and 2^-64 for two, the
// second with the key moved on (RFC 4418); when the upper half of each is taken 2^-62 is left. So equal hashes are taken
// for equal values. The blocks at the end overlap those before them.
INLINE u64 hash_of(const HashKey *key, Span value) {
  const v128_t *numbers = key->blocks;
  const u8 *at = value.at, *last = at + value.length - 16;
  Sums sums;
  if (value.length <= 16) {
    v128_t a = load_part(at, value.length), b = wasm_i64x2_shuffle(a, a, 1, 0);
    sums.one = wasm_u64x2_extmul_low_u32x4(wasm_i32x4_add(a, numbers[0]), wasm_i32x4_add(b, numbers[1]));
    sums.other = wasm_u64x2_extmul_low_u32x4(wasm_i32x4_add(a, numbers[2]), wasm_i32x4_add(b, numbers[3]));
  } else {
    sums.one = sums.other = wasm_i64x2_splat(0);
    for (; last - at > 48; at += 64, numbers += 4)
      sums = add_blocks(sums, numbers, load16(at), load16(at + 16), load16(at + 32), load16(at + 48));
    // What is left, 1 to 64 bytes: no block reaches beyond the end, so they overlap each other and those before.
    int32_t fourth = (int32_t)(last - at), first = fourth < 0 ? fourth : 0;
    int32_t second = fourth < 16 ? fourth : 16, third = fourth < 16 ? first : fourth - 16;
    sums = add_blocks(sums, numbers, load16(at + first), load16(at + second), load16(at + third), load16(last));
  }
  u64 x = (both(sums.one) + value.length) * key->spread[0];
  u64 y = (both(sums.other) + value.length) * key->spread[1];
  return x >> 32 << 32 | y >> 32;
}
