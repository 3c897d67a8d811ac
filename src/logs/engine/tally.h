// Counts of byte strings in bounded memory: exact while there are no more than `capacity` different ones. Beyond that the
// rarer half is forgotten now and then, and what comes anew begins with what it may have missed as its error (Space-Saving
// in batches). With n values added, no error is above 2 n / capacity: each time the floor rises by d, at least half of the
// counts are above it by d or more.
#pragma once
#include "hash.h"

// The host reads entries and tallies where they stand: keep in step with engine.ts.
typedef struct {
  u64 hash;
  const u8 *key;
  u32 length;
  v128_t sums; // how often it was added, and the bytes that went with it
} Entry;

// Where a value of at most seven bytes was found last: its bytes and its length as one number, and its entry.
typedef struct {
  u64 code;
  Entry *entry;
} Front;
#define FRONTS 64

typedef struct {
  Entry *entries;
  f64 *errors; // of the entries' counts
  u32 count;
  u32 capacity;
  f64 floor; // how often a value that is not here may have been added at most
  uint16_t *slots; // where the hash points to or behind that: 0, or the number of an entry + 1 below bits of its hash
  u8 *keys;
  u32 used;
  Front *fronts;
} Tally;

#define LARGEST_TALLY 4096
#define NUMBER_BITS 13

#define TALLY(name, size)                                                                                              \
  static Entry name##_entries[size];                                                                                   \
  static f64 name##_errors[size];                                                                                      \
  static uint16_t name##_slots[4 * (size)];                                                                            \
  static u8 name##_keys[(size) * LONGEST_KEY];                                                                         \
  static Front name##_fronts[FRONTS];                                                                                  \
  Tally name = {.entries = name##_entries,                                                                             \
                .errors = name##_errors,                                                                               \
                .capacity = size,                                                                                      \
                .slots = name##_slots,                                                                                 \
                .keys = name##_keys,                                                                                   \
                .fronts = name##_fronts}

// Keys stand in blocks of 16 bytes, the last one filled up with whatever followed.
INLINE u32 room_for(u32 length) { return (length + 15) & ~15u; }

// A call to copy so few bytes costs more than the copy. A key may move down to where it overlaps itself.
INLINE void copy_key(u8 *to, const u8 *from, u32 length) {
  for (u32 at = 0; at < length; at += 16) wasm_v128_store(to + at, load16(from + at));
}

INLINE f64 times(const Entry *entry) { return wasm_f64x2_extract_lane(entry->sums, 0); }

INLINE u32 first_bits(u64 hash) { return (u32)(hash >> (48 + NUMBER_BITS)) << NUMBER_BITS; }

INLINE void enter(Tally *tally, u64 hash, u32 number) {
  u32 last = 4 * tally->capacity - 1, place = (u32)hash & last;
  while (tally->slots[place] != 0) place = (place + 1) & last;
  tally->slots[place] = (uint16_t)(first_bits(hash) | (number + 1));
}

// The one that would stand at `rank` if the figures were sorted; they are sorted as far as that needs.
static f64 ranked(f64 *figures, int32_t count, int32_t rank) {
  int32_t low = 0, high = count - 1;
  while (low < high) {
    f64 pivot = figures[low + (high - low) / 2];
    int32_t left = low, right = high;
    while (left <= right) {
      while (figures[left] < pivot) left += 1;
      while (figures[right] > pivot) right -= 1;
      if (left > right) break;
      f64 kept = figures[left];
      figures[left++] = figures[right];
      figures[right--] = kept;
    }
    if (rank <= right) high = right;
    else if (rank >= left) low = left;
    else break;
  }
  return figures[rank];
}

// The median of the counts. Most are little above the floor, so they are counted by that; else the figures are sorted.
static f64 median(const Tally *tally) {
  static f64 figures[LARGEST_TALLY];
  u32 above[64] = {0}, seen = 0, rank = tally->count / 2;
  for (u32 at = 0; at < tally->count; at += 1) {
    f64 figure = times(&tally->entries[at]) - tally->floor;
    above[(u32)__builtin_wasm_min_f64(figure, 63)] += 1;
  }
  for (u32 figure = 0; figure < 63; figure += 1)
    if ((seen += above[figure]) > rank) return tally->floor + figure;
  for (u32 at = 0; at < tally->count; at += 1) figures[at] = times(&tally->entries[at]);
  return ranked(figures, (int32_t)tally->count, (int32_t)rank);
}

// What was seen no more often than the median goes.
OUTLINE void forget_the_rare(Tally *tally) {
  u32 count = tally->count, kept = 0, used = 0;
  tally->floor = median(tally);
  __builtin_memset(tally->slots, 0, 4 * tally->capacity * sizeof(*tally->slots));
  __builtin_memset(tally->fronts, 0, FRONTS * sizeof(*tally->fronts));
  for (u32 at = 0; at < count; at += 1) {
    Entry entry = tally->entries[at];
    if (times(&entry) <= tally->floor) continue;
    copy_key(tally->keys + used, entry.key, entry.length);
    entry.key = tally->keys + used;
    tally->entries[kept] = entry;
    tally->errors[kept] = tally->errors[at];
    enter(tally, entry.hash, kept);
    kept += 1;
    used += room_for(entry.length);
  }
  tally->count = kept;
  tally->used = used;
}

OUTLINE Entry *begin(Tally *tally, u64 hash, Span value) {
  if (tally->count == tally->capacity) forget_the_rare(tally);
  u32 number = tally->count++;
  u8 *key = tally->keys + tally->used;
  tally->used += room_for(value.length);
  copy_key(key, value.at, value.length);
  tally->entries[number] =
      (Entry){.hash = hash, .key = key, .length = value.length, .sums = wasm_f64x2_make(tally->floor, 0)};
  tally->errors[number] = tally->floor;
  enter(tally, hash, number);
  return &tally->entries[number];
}

// The entry of a value; a new one where there was none.
INLINE Entry *entry_of(Tally *tally, u64 hash, Span value) {
  const uint16_t *slots = tally->slots;
  u32 last = 4 * tally->capacity - 1, bits = first_bits(hash);
  for (u32 place = (u32)hash & last, found; (found = slots[place]) != 0; place = (place + 1) & last) {
    // Most others are told from it without a look at them.
    u32 number = found ^ bits;
    if (number >> NUMBER_BITS != 0) continue;
    Entry *entry = &tally->entries[number - 1];
    if (LIKELY(entry->hash == hash)) return entry;
  }
  return begin(tally, hash, value);
}

INLINE void add(Entry *entry, v128_t sums) { entry->sums = wasm_f64x2_add(entry->sums, sums); }
