import { DAY, minuteOfWeek, TIME_ZONES, type TimeZone } from './calendar.ts';
import { HOME_CONTINENT, REGIONS, TRADES, ZONE_NAMES } from './places.ts';
import { between, createRandom, logBetween, mix, pick, type Random, shuffled } from './random.ts';

/** Requests a minute that the zones of an account have on average; the draw moves each by up to a third. */
const RATES = [2, 5, 12, 25, 40, 80, 150, 250, 400, 700, 1200, 2000, 3200, 4800] as const;

const SLOT = 15;
const SLOTS_A_WEEK = (7 * DAY) / SLOT;

export interface Weighted<T> {
  value: T;
  /** Of all; they add up to 1. */
  share: number;
}

export interface Zone {
  index: number;
  id: number;
  name: string;
  host: string;
  originHost: string;
  originIp: string;
  seed: number;
  /** Requests a minute on average. */
  rate: number;
  timeZone: TimeZone;
  /** How the week goes, a factor for every quarter of an hour of local time; 1 on average. */
  shape: Float64Array;
  /** Standard deviations of the logarithm of the rate, from minute to minute up to day to day. */
  noise: { minute: number; short: number; long: number; day: number };
  growthPerDay: number;
  burstsPerDay: number;
  hitRate: number;
  hitWobble: number;
  redirectShare: number;
  clientShare: number;
  clientWobble: number;
  /** What always fails. In most zones hardly anything, in two of them several percent. */
  serverShare: number;
  bytes: number;
  /** Milliseconds that the origin takes. */
  response: number;
  responseWobble: number;
  regions: Weighted<string>[];
  paths: Weighted<string>[];
  /** The zone does not exist before; undefined for zones older than a year. */
  bornAt?: number;
}

/** Hour of the evening peak, its width, and how much of it a Saturday has: how people use what a zone serves. */
const HABITS = [
  { peaks: [[20, 3, 1]], floor: 0.12, saturday: 1.25, sunday: 1.3 },
  {
    peaks: [
      [10, 5, 1],
      [15, 5, 0.9],
    ],
    floor: 0.05,
    saturday: 0.3,
    sunday: 0.25,
  },
  { peaks: [[13, 0.6, 1]], floor: 0.6, saturday: 0.95, sunday: 0.95 },
  {
    peaks: [
      [8, 8, 0.8],
      [18, 6, 1],
    ],
    floor: 0.1,
    saturday: 0.8,
    sunday: 0.7,
  },
  { peaks: [[22, 4, 1]], floor: 0.08, saturday: 1.6, sunday: 1.4 },
  {
    peaks: [
      [3, 30, 0.8],
      [14, 1, 0.5],
    ],
    floor: 0.4,
    saturday: 1,
    sunday: 1,
  },
] as const;

function weekShape(random: Random): Float64Array {
  const habit = pick(random, HABITS);
  const moved = between(random, -1.5, 1.5);
  const floor = habit.floor * between(random, 0.7, 1.5);
  const monday = between(random, 0.95, 1.1);
  const perDay = [monday, 1, 1, 1, between(random, 0.9, 1.1), habit.saturday, habit.sunday];
  const shape = new Float64Array(SLOTS_A_WEEK);
  for (let slot = 0; slot < SLOTS_A_WEEK; slot++) {
    const hour = ((slot * SLOT) % DAY) / 60;
    let height = floor;
    for (const [at, width, tall] of habit.peaks) {
      height += tall * Math.exp(width * (Math.cos((2 * Math.PI * (hour - at - moved)) / 24) - 1));
    }
    shape[slot] = height * perDay[Math.floor((slot * SLOT) / DAY)]!;
  }
  // Machines that call on the hour: some zones have a step there every day.
  if (random() < 0.35) {
    const strength = between(random, 1.1, 1.5);
    for (let slot = 0; slot < SLOTS_A_WEEK; slot += 4) shape[slot]! *= strength;
  }
  const mean = shape.reduce((sum, height) => sum + height, 0) / SLOTS_A_WEEK;
  return shape.map((height) => height / mean);
}

/** The zone's own week at a local minute, drawn as a line from quarter to quarter. */
export function shapeAt(zone: Zone, local: number): number {
  const place = minuteOfWeek(local) / SLOT;
  const slot = Math.floor(place);
  const part = place - slot;
  return zone.shape[slot % SLOTS_A_WEEK]! * (1 - part) + zone.shape[(slot + 1) % SLOTS_A_WEEK]! * part;
}

function normalised<T>(weights: (readonly [T, number])[]): Weighted<T>[] {
  const sum = weights.reduce((total, [, weight]) => total + weight, 0);
  return weights.map(([value, weight]) => ({ value, share: weight / sum }));
}

function drawRegions(random: Random, timeZone: TimeZone): Weighted<string>[] {
  const home = HOME_CONTINENT[timeZone.name.split('/')[0]!] ?? 'EU';
  return normalised(
    shuffled(random, REGIONS)
      .slice(0, 9)
      .map((region) => [region.code, (region.continent === home ? 6 : 1) * between(random, 0.3, 1.2)] as const),
  );
}

/** Popular paths are asked for far more than the others. */
function drawPaths(random: Random, paths: readonly string[]): Weighted<string>[] {
  return normalised(shuffled(random, paths).map((path, i) => [path, between(random, 0.7, 1.3) / (i + 1) ** 0.9]));
}

function drawZone(seed: number, index: number, name: string, rate: number, isAlwaysFailing: boolean): Zone {
  const random = createRandom(mix(seed, index + 1));
  const trade = pick(random, TRADES);
  const timeZone = pick(random, TIME_ZONES);
  return {
    index,
    id: 400_000 + (mix(seed, index) % 90_000) * 10 + (index % 10),
    name,
    host: `${name}.b-cdn.net`,
    originHost: `origin.${name}.example`,
    originIp: `10.${Math.floor(between(random, 0, 250))}.${Math.floor(between(random, 0, 250))}.${Math.floor(between(random, 2, 250))}`,
    seed: mix(seed, 7_000 + index),
    rate: rate * between(random, 0.7, 1.3),
    timeZone,
    shape: weekShape(random),
    noise: {
      minute: logBetween(random, 0.04, 0.25),
      short: between(random, 0.03, 0.1),
      long: between(random, 0.04, 0.14),
      day: between(random, 0.02, 0.07),
    },
    growthPerDay: between(random, -0.001, 0.0015),
    burstsPerDay: logBetween(random, 0.7, 7),
    hitRate: between(random, ...trade.hit),
    hitWobble: between(random, 0.03, 0.12),
    redirectShare: logBetween(random, 0.005, 0.08),
    clientShare: logBetween(random, 0.003, 0.06),
    clientWobble: between(random, 0.05, 0.25),
    serverShare: isAlwaysFailing ? between(random, 0.015, 0.08) : logBetween(random, 0.00002, 0.003),
    bytes: logBetween(random, ...trade.bytes),
    response: logBetween(random, ...trade.response),
    responseWobble: between(random, 0.03, 0.12),
    regions: drawRegions(random, timeZone),
    paths: drawPaths(random, trade.paths),
  };
}

/** The zones of an account. Fewer than fourteen are spread over the sizes. */
export function drawZones(seed: number, count: number = RATES.length): Zone[] {
  const random = createRandom(mix(seed, 11));
  const names = shuffled(random, ZONE_NAMES);
  const alwaysFailing = shuffled(random, [...Array(count).keys()]).slice(0, Math.ceil(count / 7));
  return Array.from({ length: count }, (_, index) => {
    const rate = RATES[Math.floor(((index + 0.5) * RATES.length) / count)]!;
    return drawZone(seed, index, names[index]!, rate, alwaysFailing.includes(index));
  });
}
