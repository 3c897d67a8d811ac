// The log engine: reads lines of a v1 log and keeps what they come to. Its host (engine.ts) writes bytes to `input`, calls
// `scan`, and in the end reads the figures where they stand. build.sh makes engine-binary.ts of it.
//
// It works in small rounds: the pipes and ends of some sixty lines are indexed, then the lines are split and their fields
// put into columns, then each column is hashed and counted. One thing at a time for many lines keeps its code and its table
// near, and the processor looks up many values at once instead of waiting for one after the other.
#include "fields.h"
#include "tally.h"

// A longer line is no record. The host keeps the beginning of a line while it waits for the rest.
#define LONGEST_LINE (256 * 1024)
#define INPUT_SIZE (2 * LONGEST_LINE)

// Bytes indexed in one round, and lines that have room in the columns.
#ifndef ROUND
#define ROUND 16384
#define LINES 128
#endif

// The sums of a round are exact: what is larger has a round of its own.
#define LARGEST_SUMMED ((f64)((u64)1 << 53) / LINES)

// More different hours than this (a year's) are no access log: further ones are in the sums only.
#define MOST_HOURS 8784
#define HOUR_MS 3600000.0
#define HOUR_SLOTS 16384

// Registers of the sketch of different clients: 2^14.
#define REGISTER_BITS 14

// Sizes are counted in buckets: each below 64 in its own, 64 to each doubling from there on.
#define SIZE_BUCKETS (64 + 64 * 44)
#define LARGEST_SIZE 999999999999999.0

// What the host reads: keep in step with engine.ts.
typedef struct {
  f64 requests, bytes, unreadable, from, to, hours;
} Totals;
typedef struct {
  f64 start, requests, errors, bytes;
} Hour;
Totals totals = {.from = __builtin_inf(), .to = -__builtin_inf()};
f64 statuses[1000];
f64 sizes[SIZE_BUCKETS];
u8 registers[1 << REGISTER_BITS];
Hour hours[MOST_HOURS];
// The fields of a record that the host has read itself.
Span given[FIELDS];

// Room for four times as many values as are listed in the end (LISTS in summary.ts).
TALLY(caches, 256);
TALLY(topPaths, 4096);
TALLY(topMissing, 2048);
TALLY(topErrors, 2048);
TALLY(failures, 2048);
TALLY(topAgents, 2048);
TALLY(topCountries, 2048);
TALLY(topReferers, 2048);
TALLY(edgeLocations, 2048);
TALLY(topClients, 4096);

static u8 room[PADDING + INPUT_SIZE + PADDING] __attribute__((aligned(64)));

// The tables' is another one each time; the sketch's is the same for ever, so that sketches can be merged.
static HashKey table_key, sketch_key;

EXPORT(input) u8 *input(void) { return room + PADDING; }
EXPORT(inputSize) u32 input_size(void) { return INPUT_SIZE; }
EXPORT(longestLine) u32 longest_line(void) { return LONGEST_LINE; }

// To be called once, before all else.
EXPORT(begin) void begin_with(u64 seed) {
  fill_key(&table_key, seed);
  fill_key(&sketch_key, 0);
}

// The lines of a round that were records, by columns.
static u32 lines;
static u32 status_column[LINES];
static f64 time_column[LINES];
static v128_t sums_before[LINES + 1]; // what the lines before come to: their number and bytes
static Span cache_column[LINES], path_column[LINES];

INLINE v128_t sums_of(u32 line) { return wasm_f64x2_sub(sums_before[line + 1], sums_before[line]); }

// Lines with the same value one after the other: it is hashed and looked up once for all of them.
typedef struct {
  u32 count;
  u32 ends[LINES]; // the line behind a run
} Runs;

// Each line for itself; what mostly stays while a visitor does; and the page that a visitor is on.
static Runs line_runs, visitor_runs, page_runs;
static Span address_column[LINES], agent_column[LINES], country_column[LINES], edge_column[LINES], referer_column[LINES];

static u64 hashes[LINES];

OUTLINE void hash_column(const HashKey *key, const Span *column, u32 count) {
  for (u32 at = 0; at < count; at += 1) hashes[at] = hash_of(key, column[at]);
}

// Adds what the lines of each run come to. `are_codes`: most values are short, and the same few, and found by their bytes;
// else `hashes` is of the values.
INLINE void add_runs(Tally *tally, const Runs *runs, const Span *column, int are_codes) {
  v128_t before = sums_before[0];
  for (u32 run = 0; run < runs->count; run += 1) {
    v128_t behind = sums_before[runs->ends[run]], sums = wasm_f64x2_sub(behind, before);
    before = behind;
    Span value = column[run];
    if (are_codes && LIKELY(value.length < 8)) {
      u64 code;
      __builtin_memcpy(&code, value.at, 8);
      code = (code & ~(~(u64)0 << (8 * value.length))) | (u64)(value.length + 1) << 56;
      Front *front = &tally->fronts[code * 0x9e3779b97f4a7c15u >> 58];
      if (front->code != code) {
        Entry *entry = entry_of(tally, hash_of(&table_key, value), value);
        *front = (Front){code, entry};
      }
      add(front->entry, sums);
    } else {
      add(entry_of(tally, are_codes ? hash_of(&table_key, value) : hashes[run], value), sums);
    }
  }
}

OUTLINE void add_hashed(Tally *tally, const Runs *runs, const Span *column) { add_runs(tally, runs, column, 0); }
OUTLINE void add_codes(Tally *tally, const Runs *runs, const Span *column) { add_runs(tally, runs, column, 1); }

static void add_column(Tally *tally, const Runs *runs, const Span *column) {
  hash_column(&table_key, column, runs->count);
  add_hashed(tally, runs, column);
}

OUTLINE Hour *new_hour(f64 start) {
  static u32 slots[HOUR_SLOTS];
  u32 slot = (u32)mixed((u64)(int64_t)start) % HOUR_SLOTS;
  for (; slots[slot] != 0; slot = (slot + 1) % HOUR_SLOTS)
    if (hours[slots[slot] - 1].start == start) return &hours[slots[slot] - 1];
  if (totals.hours == MOST_HOURS) return 0;
  u32 count = (u32)totals.hours;
  totals.hours += 1;
  hours[count].start = start;
  slots[slot] = count + 1;
  return &hours[count];
}

// The hour of a time; none when there are too many.
INLINE Hour *hour_of(f64 time) {
  // The hours of a day or two are found here.
  static Hour *fronts[64];
  // Exact: times are so far below 2^53 that no quotient is rounded up to the next whole number.
  f64 number = __builtin_floor(time / HOUR_MS);
  Hour **front = &fronts[(u64)(int64_t)number % 64];
  if (*front == 0 || (*front)->start != number * HOUR_MS) {
    Hour *hour = new_hour(number * HOUR_MS);
    if (hour == 0) return 0;
    *front = hour;
  }
  return *front;
}

INLINE u32 size_bucket(f64 bytes) {
  u64 size = (u64)(bytes > LARGEST_SIZE ? LARGEST_SIZE : bytes);
  if (size < 64) return (u32)size;
  u32 shift = 57 - (u32)__builtin_clzll(size);
  return 64 * shift + (u32)(size >> shift);
}

static void add_numbers(void) {
  f64 all = totals.bytes, from = totals.from, to = totals.to;
  for (u32 line = 0; line < lines; line += 1) {
    u32 status = status_column[line];
    f64 time = time_column[line], bytes = wasm_f64x2_extract_lane(sums_of(line), 1);
    all += bytes;
    from = __builtin_wasm_min_f64(from, time);
    to = __builtin_wasm_max_f64(to, time);
    statuses[status] += 1;
    sizes[size_bucket(bytes)] += 1;
    Hour *hour = hour_of(time);
    if (hour == 0) continue;
    hour->requests += 1;
    hour->bytes += bytes;
    hour->errors += status >= 500;
  }
  totals.requests += lines;
  totals.bytes = all;
  totals.from = from;
  totals.to = to;
}

INLINE Span cut(Span value) {
  if (value.length > LONGEST_KEY) value.length = LONGEST_KEY;
  return value;
}

// What fails at once by status, hour (since 1970) and path: `504 498638 /api/orders`.
OUTLINE void add_failure(u32 line) {
  static u8 text[PADDING + 32 + LONGEST_KEY + PADDING];
  static u8 *const path = text + PADDING + 32;
  u8 *at = path;
  copy_key(path, path_column[line].at, path_column[line].length);
  *--at = ' ';
  u64 hour = (u64)(time_column[line] / HOUR_MS);
  do *--at = (u8)('0' + hour % 10);
  while ((hour /= 10) != 0);
  *--at = ' ';
  u32 status = status_column[line];
  for (u32 digit = 0; digit < 3; digit += 1, status /= 10) *--at = (u8)('0' + status % 10);
  Span value = cut((Span){at, (u32)(path - at) + path_column[line].length});
  add(entry_of(&failures, hash_of(&table_key, value), value), sums_of(line));
}

static void add_paths(void) {
  add_column(&topPaths, &line_runs, path_column);
  for (u32 line = 0; line < lines; line += 1) {
    u32 status = status_column[line];
    if (status != 404 && status < 500) continue;
    add(entry_of(status == 404 ? &topMissing : &topErrors, hashes[line], path_column[line]), sums_of(line));
    if (status >= 500) add_failure(line);
  }
}

static void add_clients(void) {
  hash_column(&sketch_key, address_column, visitor_runs.count);
  for (u32 run = 0; run < visitor_runs.count; run += 1) {
    u64 hash = mixed(hashes[run]);
    // In the table the place must not be known to those who choose addresses.
    hashes[run] = mixed(hash ^ table_key.spread[0]);
    if (is_absent(address_column[run])) continue;
    // HyperLogLog: the register that the first bits name keeps the longest run of zeros behind them, plus one.
    u8 *kept = &registers[hash >> (64 - REGISTER_BITS)];
    u8 zeros = (u8)(1 + __builtin_clzll(hash << REGISTER_BITS | (u64)1 << (REGISTER_BITS - 1)));
    if (zeros > *kept) *kept = zeros;
  }
  add_hashed(&topClients, &visitor_runs, address_column);
}

// Counts what stands in the columns.
OUTLINE void count_round(void) {
  line_runs.count = lines;
  add_numbers();
  add_paths();
  add_clients();
  add_column(&topAgents, &visitor_runs, agent_column);
  for (u32 run = 0; run < page_runs.count; run += 1) referer_column[run] = cut(without_query(referer_column[run]));
  add_column(&topReferers, &page_runs, referer_column);
  add_codes(&caches, &line_runs, cache_column);
  add_codes(&topCountries, &visitor_runs, country_column);
  add_codes(&edgeLocations, &visitor_runs, edge_column);
  lines = visitor_runs.count = page_runs.count = 0;
}

// What is absent is counted like a value, and so is what is no country; the host leaves it out.
INLINE void put_record(const Span *fields, u32 status, f64 time, f64 bytes) {
  static const u8 root[PADDING] = "/";
  Span path = path_of(without_query(fields[URL]));
  if (path.length == 0) path = (Span){root, 1};
  status_column[lines] = status;
  time_column[lines] = time;
  sums_before[lines + 1] = wasm_f64x2_add(sums_before[lines], wasm_f64x2_make(1, bytes));
  path_column[lines] = cut(path);
  cache_column[lines] = cut(fields[CACHE]);
  Span address = cut(fields[ADDRESS]), agent = cut(fields[AGENT]), country = is_country(fields[COUNTRY]) ? fields[COUNTRY] : (Span){root, 0}, edge = cut(fields[EDGE]);
  u32 visitor = visitor_runs.count, page = page_runs.count;
  if (lines == 0 || !is_same(address, address_column[visitor - 1]) || !is_same(agent, agent_column[visitor - 1]) ||
      !is_same(country, country_column[visitor - 1]) || !is_same(edge, edge_column[visitor - 1])) {
    address_column[visitor] = address;
    agent_column[visitor] = agent;
    country_column[visitor] = country;
    edge_column[visitor] = edge;
    visitor_runs.count = ++visitor;
  }
  if (lines == 0 || !is_same(fields[REFERER], referer_column[page - 1])) {
    referer_column[page] = fields[REFERER];
    page_runs.count = ++page;
  }
  line_runs.ends[lines] = visitor_runs.ends[visitor - 1] = page_runs.ends[page - 1] = lines + 1;
  lines += 1;
}

// Counts the record whose texts the host has put down in `given`.
EXPORT(count) void count(u32 status, f64 time, f64 bytes) {
  put_record(given, status, time, bytes);
  count_round();
}

EXPORT(unreadable) void unreadable(void) { totals.unreadable += 1; }

INLINE void put_line(const Span *fields) {
  int status = status_of(fields[STATUS]);
  f64 time, bytes;
  if (LIKELY(numbers_of(fields[TIME], fields[BYTES], &time, &bytes) && status >= 0)) {
    if (bytes > LARGEST_SUMMED) count_round();
    put_record(fields, (u32)status, time, bytes);
    if (lines == LINES || bytes > LARGEST_SUMMED) count_round();
  } else {
    unreadable();
  }
}

// A line that has not as many pipes as most, or is something else.
OUTLINE void put_odd_line(Line line) {
  Span fields[FIELDS];
  int is_too_long = line.end - line.start > LONGEST_LINE;
  if (line.end > line.start && line.end[-1] == '\r') line.end -= 1;
  if (line.end == line.start) return;
  if (!is_too_long && split(&line, fields)) put_line(fields);
  else unreadable();
}

// Eleven pipes and the end of the line.
INLINE int is_regular(const u8 *const *marks) {
  // A newline has a bit that a pipe has not.
  u32 bits = 0;
  for (u32 each = 0; each < FIELDS - 1; each += 1) bits |= *marks[each];
  return bits == '|' && *marks[FIELDS - 1] == '\n';
}

// Where the pipes and newlines are that have not been used yet; a whole input of them has room, and what is written beyond.
static const u8 *marks[INPUT_SIZE + 64];

// Appends the marks of the blocks that begin before `end`. Eight are written at once, whatever their number: that costs
// less than to guess it.
OUTLINE u32 index_marks(const u8 *from, const u8 *end, u32 count) {
  for (; from < end; from += 64) {
    u64 found = places_of(from, '|', '\n');
    const u8 **next = marks + count;
    count += (u32)__builtin_popcountll(found);
    for (u32 each = 0; each < 8; each += 1) {
      next[each] = from + __builtin_ctzll(found);
      found &= found - 1;
    }
    for (next += 8; found != 0; next += 1) {
      *next = from + __builtin_ctzll(found);
      found &= found - 1;
    }
  }
  return count;
}

// Puts the lines of the first `count` marks that end before `end` into the columns. Moves `start` behind the last of them;
// returns how many marks that used up.
OUTLINE u32 put_lines(const u8 **start, const u8 *end, u32 count) {
  u32 used = 0;
  while (used < count) {
    const u8 *const *at = marks + used;
    if (LIKELY(count - used >= FIELDS && is_regular(at)) && at[FIELDS - 1] < end && at[FIELDS - 1] - *start <= LONGEST_LINE) {
      const u8 *last = at[FIELDS - 1];
      Span fields[FIELDS];
      fields[CACHE] = between(*start, at[0]);
      for (u32 field = 1; field < FIELDS; field += 1) fields[field] = between(at[field - 1] + 1, at[field]);
      fields[COUNTRY].length -= last[-1] == '\r';
      put_line(fields);
      *start = last + 1;
      used += FIELDS;
      continue;
    }
    u32 pipes = 0;
    while (used + pipes < count && *at[pipes] == '|') pipes += 1;
    if (used + pipes == count || at[pipes] >= end) break;
    put_odd_line((Line){.start = *start, .end = at[pipes], .pipes = at, .count = pipes});
    *start = at[pipes] + 1;
    used += pipes + 1;
  }
  return used;
}

// Reads the first `length` bytes of the input; the last of them ends a line.
EXPORT(scan) void scan(u32 length) {
  const u8 *end = input() + length, *start = input();
  u32 count = 0;
  for (const u8 *from = input(); from < end; from += ROUND) {
    count = index_marks(from, end - from < ROUND ? end : from + ROUND, count);
    u32 used = put_lines(&start, end, count);
    __builtin_memmove(marks, marks + used, (count - used) * sizeof(*marks));
    count -= used;
    count_round();
  }
}
