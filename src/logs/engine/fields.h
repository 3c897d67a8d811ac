// Where the fields of a line are, and what numbers they hold.
#pragma once
#include "engine.h"

// A list of pipes longer than this makes no line.
#define MOST_PIPES 512

INLINE int is_digit(u8 byte) { return (u8)(byte - '0') < 10; }

// Pairs of the up to 15 digits of a number, as eight figures; what is no digit shows in `wrong`.
INLINE v128_t pairs_of(Span span, v128_t *wrong) {
  // The digits stand at the end of 16 bytes, and what is before them counts as zeros.
  static const u8 ones[32] = {[16] = 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
  v128_t digits = wasm_i8x16_sub(load16(span.at + span.length - 16), wasm_i8x16_splat('0'));
  digits = wasm_v128_and(digits, load16(ones + (span.length & 15)));
  *wrong = wasm_v128_or(*wrong, wasm_u8x16_gt(digits, wasm_i8x16_splat(9)));
  v128_t tens = wasm_i8x16_make(10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1);
  return wasm_i16x8_narrow_i32x4(wasm_i32x4_extadd_pairwise_i16x8(wasm_i16x8_extmul_low_i8x16(digits, tens)),
                                 wasm_i32x4_extadd_pairwise_i16x8(wasm_i16x8_extmul_high_i8x16(digits, tens)));
}

// The two numbers that up to 15 digits each make. 0: something else.
INLINE int numbers_of(Span one, Span other, f64 *first, f64 *second) {
  v128_t wrong = wasm_i64x2_splat(0), hundreds = wasm_i16x8_make(100, 1, 100, 1, 100, 1, 100, 1);
  v128_t fours = wasm_i16x8_narrow_i32x4(wasm_i32x4_dot_i16x8(pairs_of(one, &wrong), hundreds),
                                         wasm_i32x4_dot_i16x8(pairs_of(other, &wrong), hundreds));
  v128_t eights = wasm_i32x4_dot_i16x8(fours, wasm_i16x8_make(10000, 1, 10000, 1, 10000, 1, 10000, 1));
  u64 a = wasm_u64x2_extract_lane(eights, 0), b = wasm_u64x2_extract_lane(eights, 1);
  *first = (f64)(int64_t)((a & 0xffffffff) * 100000000 + (a >> 32));
  *second = (f64)(int64_t)((b & 0xffffffff) * 100000000 + (b >> 32));
  return one.length - 1 < 15 && other.length - 1 < 15 && !wasm_v128_any_true(wrong);
}

// The number of three digits; -1 when they are none.
INLINE int status_of(Span span) {
  u32 digits;
  __builtin_memcpy(&digits, span.at, 4);
  digits = (digits & 0xffffff) ^ 0x303030;
  if (span.length != 3 || ((digits | (digits + 0x060606)) & 0xf0f0f0) != 0) return -1;
  return (int)((digits & 15) * 100 + (digits >> 8 & 15) * 10 + (digits >> 16));
}

// Which of the 64 bytes from `at` are `one` or `other`: a bit for each.
INLINE u64 places_of(const u8 *at, u8 one, u8 other) {
  u64 found = 0;
  for (u32 part = 0; part < 4; part += 1) {
    v128_t bytes = load16(at + 16 * part);
    v128_t equal = wasm_v128_or(wasm_i8x16_eq(bytes, wasm_i8x16_splat(one)), wasm_i8x16_eq(bytes, wasm_i8x16_splat(other)));
    found |= (u64)wasm_i8x16_bitmask(equal) << (16 * part);
  }
  return found;
}

// The first of either byte in the span, or its end.
INLINE const u8 *find(Span span, u8 one, u8 other) {
  const u8 *end = span.at + span.length;
  for (const u8 *at = span.at; at < end; at += 64) {
    u64 found = places_of(at, one, other);
    if (found == 0) continue;
    const u8 *place = at + __builtin_ctzll(found);
    return place < end ? place : end;
  }
  return end;
}

// The same for one byte that is near.
INLINE const u8 *find_near(Span span, u8 byte) {
  const u8 *end = span.at + span.length;
  for (const u8 *at = span.at; at < end; at += 16) {
    u32 found = wasm_i8x16_bitmask(wasm_i8x16_eq(load16(at), wasm_i8x16_splat(byte)));
    if (found == 0) continue;
    const u8 *place = at + __builtin_ctz(found);
    return place < end ? place : end;
  }
  return end;
}

INLINE Span between(const u8 *start, const u8 *end) { return (Span){start, (u32)(end - start)}; }

// An address without what may hold secrets: its query, its fragment.
INLINE Span without_query(Span address) { return between(address.at, find(address, '?', '#')); }

// The path of an address without a query: what is behind `scheme://host`. Empty when there is none.
INLINE Span path_of(Span address) {
  const u8 *at = address.at, *end = at + address.length;
  u64 first;
  __builtin_memcpy(&first, at, 8);
  // Nearly all begin with `https://` or `http://`; the others are looked at byte by byte.
  u32 scheme = first == 0x2f2f3a7370747468 ? 8 : (first << 8) == 0x2f2f3a7074746800 ? 7 : 0;
  if (scheme == 0 || address.length < scheme) {
    scheme = 0;
    for (const u8 *each = at; each < end && *each != '/' && scheme == 0; each += 1)
      if (each[0] == ':' && each[1] == '/' && each[2] == '/') scheme = (u32)(each - at) + 3;
    if (scheme == 0) return address;
  }
  const u8 *behind = at + scheme;
  if (behind >= end) return between(end, end);
  return between(find_near(between(behind, end), '/'), end);
}

// A line and its pipes, whose fields are to be found.
typedef struct {
  const u8 *start;
  const u8 *end;
  const u8 *const *pipes;
  u32 count;
} Line;

// The fields from the first to the last as one; empty when there are none.
INLINE Span stretch(const Line *line, u32 first, u32 last) {
  if (first > last) return between(line->end, line->end);
  return between(first == 0 ? line->start : line->pipes[first - 1] + 1, last == line->count ? line->end : line->pipes[last]);
}

static int is_letter(u8 byte) { return (u8)((byte | 0x20) - 'a') < 26; }

// 32 hexadecimal digits, with or without hyphens.
static int is_id(Span span) {
  u32 digits = 0;
  if (span.length < 32 || span.length > 36) return 0;
  for (u32 at = 0; at < span.length; at += 1) {
    u8 byte = span.at[at];
    if (is_digit(byte) || (u8)((byte | 0x20) - 'a') < 6) digits += 1;
    else if (byte != '-') return 0;
  }
  return digits == 32;
}

INLINE int is_country(Span span) { return span.length == 2 && is_letter(span.at[0]) && is_letter(span.at[1]); }

// `http…` or `/…`.
static int is_address(Span span) {
  if (span.length > 0 && span.at[0] == '/') return 1;
  return span.length > 7 && span.at[0] == 'h' && span.at[1] == 't' && span.at[2] == 't';
}

// The code of an edge location: two to four capitals or digits.
static int is_edge(Span span) {
  if (span.length < 2 || span.length > 4) return 0;
  for (u32 at = 0; at < span.length; at += 1)
    if (!(span.at[at] >= 'A' && span.at[at] <= 'Z') && !is_digit(span.at[at])) return 0;
  return 1;
}

// The fields of extended logging begin here: a number, with two behind it.
static int is_extended(const Line *line, u32 field) {
  if (field + 2 > line->count) return 0;
  Span span = stretch(line, field, field);
  for (u32 at = 0; at < span.length; at += 1)
    if (!is_digit(span.at[at])) return is_absent(span);
  return 1;
}

static int is_word(Span span) {
  for (u32 at = 0; at < span.length; at += 1)
    if (!is_letter(span.at[at])) return is_absent(span);
  return 1;
}

// The request id is the first field behind the agent that looks like one, or that a country and the fields of extended logging
// follow: the last of those is a visitor's authorization, which can look like anything. Where there is none, it is the last
// field but one of a line that is too short for extended logging; of any other, nobody knows. 0: that.
static u32 request_field(const Line *line) {
  for (u32 field = REQUEST; field < line->count; field += 1) {
    Span country = stretch(line, field + 1, field + 1);
    if (is_id(stretch(line, field, field)) && country.length <= 2) return field;
    if (is_word(country) && is_extended(line, field + 2)) return field;
  }
  return line->count < FIELDS + 2 ? line->count - 1 : 0;
}

// The fields of a line with more pipes than fields: old lines have pipes within the referer, the URL and the agent, and
// extended ones have further fields at the end. What stands before and behind is found from both ends. 0: no line.
OUTLINE int split(const Line *line, Span *fields) {
  if (line->count < FIELDS - 1 || line->count > MOST_PIPES) return 0;
  for (u32 field = CACHE; field <= ADDRESS; field += 1) fields[field] = stretch(line, field, field);
  u32 request = request_field(line);
  if (request == 0) return 0;
  fields[REQUEST] = stretch(line, request, request);
  fields[COUNTRY] = stretch(line, request + 1, request + 1);
  u32 url = URL;
  while (url < request - 2 && !is_address(stretch(line, url, url))) url += 1;
  if (url == request - 2 && !is_address(stretch(line, url, url))) url = URL;
  fields[REFERER] = stretch(line, REFERER, url - 1);
  u32 edge = url + 1;
  while (edge < request - 1 && !is_edge(stretch(line, edge, edge))) edge += 1;
  if (edge == request - 1) edge = url + 1;
  fields[URL] = stretch(line, url, edge - 1);
  fields[EDGE] = stretch(line, edge, edge);
  fields[AGENT] = stretch(line, edge + 1, request - 1);
  return 1;
}
