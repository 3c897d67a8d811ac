/** Wilson's interval of a proportion, at 95 %. */
export function wilson(hits: number, n: number): [number, number] {
  if (n === 0) return [0, 1];
  const z = 1.959964;
  const p = hits / n;
  const middle = p + (z * z) / (2 * n);
  const wide = z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  const whole = 1 + (z * z) / n;
  return [Math.max(0, (middle - wide) / whole), Math.min(1, (middle + wide) / whole)];
}

/** Byar's interval of a mean count, at 95 %: `count` in so many weeks. */
export function countInterval(count: number, weeks: number): [number, number] {
  const z = 1.959964;
  const above = count + 1;
  const least = count === 0 ? 0 : count * (1 - 1 / (9 * count) - z / (3 * Math.sqrt(count))) ** 3;
  const most = above * (1 - 1 / (9 * above) + z / (3 * Math.sqrt(above))) ** 3;
  return [least / weeks, most / weeks];
}

/** `14 of 17 = 82 % (59–94)`. */
export function share(hits: number, n: number): string {
  if (n === 0) return '–';
  const [least, most] = wilson(hits, n).map((value) => Math.round(value * 100));
  return `${hits}/${n} = ${Math.round((hits / n) * 100)} % (${least}–${most})`;
}

export function quantile(values: readonly number[], q: number): number | undefined {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * q;
  const low = sorted[Math.floor(place)]!;
  return low + (sorted[Math.ceil(place)]! - low) * (place - Math.floor(place));
}

export const median = (values: readonly number[]): number | undefined => quantile(values, 0.5);
