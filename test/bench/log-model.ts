import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** Lines of a v1 log as their fields: what a bigger log is made of. */
export type LogModel = string[][];

const FIELDS = 12;
const DAY = 86_400_000;

/** A URL that has no more lines than these of a model's ten thousand is asked for seldom. */
const SELDOM = 5;

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
export function randomsFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The lines of a real log that have all fields and no more. Latin-1, so that each byte comes back as it was. */
export function modelOf(path: string): LogModel {
  return readFileSync(path, 'latin1')
    .split('\n')
    .map((line) => line.split('|'))
    .filter((fields) => fields.length === FIELDS);
}

/** Ten thousand made-up lines: few things are asked for often, most rarely, and visitors ask for several things in a row. */
export function madeUpModel(): LogModel {
  const random = randomsFrom(7);
  const oneOf = <T>(all: readonly T[], skew = 1): T => all[Math.floor(all.length * random() ** skew)] as T;
  const words = [
    'assets',
    'blog',
    'products',
    'images',
    'js',
    'css',
    'video',
    'downloads',
    'articles',
    'media',
    'fonts',
  ];
  const paths = Array.from({ length: 1700 }, (_, n) => {
    const folders = Array.from({ length: 1 + Math.floor(3 * random()) }, () => oneOf(words));
    return `/${folders.join('/')}/${oneOf(words)}-${n}${oneOf(['.js', '.css', '.jpg', '.png', '.html', '/', '.m3u8'])}`;
  });
  const systems = [
    'Windows NT 10.0; Win64; x64',
    'Macintosh; Intel Mac OS X 10_15_7',
    'X11; Linux x86_64',
    'Linux; Android 14',
  ];
  const agents = Array.from(
    { length: 560 },
    (_, n) =>
      `Mozilla/5.0 (${oneOf(systems)}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${90 + (n % 40)}.0.${1000 + n}.${n % 200} Safari/537.36`,
  );
  const model: LogModel = [];
  while (model.length < 10_000) {
    const address = `${1 + Math.floor(222 * random())}.${Math.floor(256 * random())}.${Math.floor(256 * random())}.0`;
    const agent = oneOf(agents, 3);
    const country = oneOf(['DE', 'US', 'FR', 'GB', 'IN', 'BR', 'PL', 'NL', 'ES', 'JP', '-'], 2);
    const edge = oneOf(['DE', 'NY', 'LA', 'SG', 'UK', 'WA', 'SE', 'SYD'], 2);
    const page = oneOf(paths, 3);
    for (let left = 1 + Math.floor(9 * random()); left > 0; left -= 1) {
      const status = oneOf(['200', '200', '200', '200', '206', '304', '301', '404', '404', '503'], 2);
      model.push([
        oneOf(['HIT', 'HIT', 'HIT', 'MISS', 'EXPIRED', '-'], 2),
        status,
        '0',
        String(status === '304' ? 0 : Math.floor(500_000 * random() ** 6)),
        '1337',
        address,
        random() < 0.4 ? '-' : `https://shop.example.com${page}`,
        `https://cdn.example.com${oneOf(paths, 3)}${random() < 0.2 ? `?v=${Math.floor(100 * random())}` : ''}`,
        edge,
        agent,
        '0',
        country,
      ]);
    }
  }
  return model;
}

/**
 * Writes a day's log of so many bytes (a line more or less): the model's lines again and again, each time with other
 * addresses, times and request ids. What is asked for often stands in one of sixty-one folders, what is asked for seldom in
 * one of its own each time, so that nothing repeats more than in life: the tail of a log grows with it.
 * Returns how many lines it has.
 */
export function writeLog(path: string, size: number, model: LogModel): number {
  const random = randomsFrom(11);
  const length = model.reduce((sum, fields) => sum + fields.join('|').length + 1, 0) / model.length;
  const step = DAY / (size / length);
  const asked = new Map<string, number>();
  for (const [, , , , , , , url = ''] of model) asked.set(url, (asked.get(url) ?? 0) + 1);
  const isSeldom = (url: string) => (asked.get(url) ?? 0) <= SELDOM;
  const start = Date.UTC(2026, 4, 20);
  const hex = () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  const file = openSync(path, 'w');
  let written = 0;
  let lines = 0;
  try {
    for (let copy = 0; written < size; copy += 1) {
      let batch = '';
      for (const fields of model) {
        const line = [...fields];
        line[2] = String(start + Math.min(DAY - 1, Math.floor(lines * step + 2000 * random())));
        line[5] = otherAddress(fields[5] ?? '', copy);
        const [, , , , , , , url = ''] = fields;
        const folder = isSeldom(url) ? copy : copy % 61;
        line[7] = url.replace(/^(?:[^/]*\/\/[^/]*)?/, `$&/${folder.toString(36)}`);
        line[10] = hex() + hex() + hex() + hex();
        batch += `${line.join('|')}\n`;
        lines += 1;
        if (batch.length < 1_000_000 && written + batch.length < size) continue;
        written += writeSync(file, batch, null, 'latin1');
        batch = '';
        if (written >= size) break;
      }
      written += writeSync(file, batch, null, 'latin1');
    }
  } finally {
    closeSync(file);
  }
  return lines;
}

/** Another address for each copy of a visitor, as long as one that was shortened. */
function otherAddress(address: string, copy: number): string {
  if (copy === 0 || address === '-') return address;
  let mixed = Math.imul(copy, 0x9e3779b1);
  for (let at = 0; at < address.length; at += 1) mixed = Math.imul(mixed ^ address.charCodeAt(at), 0x01000193);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b) >>> 0;
  if (address.includes(':')) return `2001:${(mixed >>> 16).toString(16)}:${(mixed & 0xffff).toString(16)}::`;
  return `${1 + ((mixed >>> 24) % 223)}.${(mixed >>> 16) & 255}.${(mixed >>> 8) & 255}.0`;
}
