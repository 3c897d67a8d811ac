import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { compileTo } from './compile.ts';
import { medianOf, type Report } from './figures.ts';
import { temporaryFolder } from './folder.ts';
import { measured, missingTool, type Outcome } from './log-contenders.ts';
import { randomsFrom } from './log-model.ts';

const DAY = Date.UTC(2026, 10, 20);
/** What the slicer has to be against `@streamparser/json`. */
const WANTED = 6;
/** Bytes above what an idle process takes, and milliseconds that nothing holds the main thread longer than. */
const MOST_MEMORY = 64e6;
const MOST_HELD = 50;

const KINDS: [code: string, status: number, message: string][] = [
  ['http_timeout', 504, 'The origin did not answer within 60 seconds.'],
  ['dns_lookup', 502, 'Origin DNS lookup failed: the name origin-3.shop.example.com does not resolve.'],
  ['network_socket_exception', 502, 'Connection refused by the origin (10.0.7.3:443).'],
  ['http_request_exception', 502, 'The SSL connection could not be established, see "inner" exception.'],
];

/** Writes an origin-log answer of so many bytes (a record more or less). Returns how many records it has. */
function writeOriginLog(path: string, size: number): number {
  const random = randomsFrom(5);
  const hex = (length: number) => Array.from({ length }, () => Math.floor(16 * random()).toString(16)).join('');
  const file = openSync(path, 'w');
  let records = 0;
  try {
    let written = writeSync(file, '{"logs":[');
    while (written < size) {
      const batch = Array.from({ length: 2000 }, () => {
        const [code, status, message] = KINDS[Math.floor(KINDS.length * random() ** 2)]!;
        const log = {
          RequestUrl: `/products/${Math.floor(5000 * random())}/image-${hex(6)}.jpg?v=${records}`,
          PullZoneId: 308_006,
          Message: message,
          ErrorCode: code,
          StatusCode: status,
        };
        records += 1;
        return JSON.stringify({
          logId: [8, 4, 4, 4, 12].map(hex).join('-'),
          // The day, over and over: nobody has said that records come in order.
          timestamp: DAY + ((records * 57) % 86_400_000),
          log: JSON.stringify(log),
          labels: { ErrorCode: code, StatusCode: String(status), ServerZone: ['DE', 'NY', 'SG'][records % 3] },
        });
      });
      written += writeSync(file, `${records > 2000 ? ',' : ''}${batch.join(',')}`);
    }
    writeSync(file, '],"hasMoreData":false,"continuationToken":"","startToken":""}');
  } finally {
    closeSync(file);
  }
  return records;
}

/** An origin-log day of each size (bytes), read by us and by `@streamparser/json`. */
export async function originLog({ sizes, rounds }: { sizes: number[]; rounds: number }): Promise<Report> {
  const folder = temporaryFolder();
  const rows: string[][] = [];
  const verdicts: Report['verdicts'] = [];
  const missing = missingTool('@streamparser/json');
  try {
    await compileTo(folder, ['./origin-log-child.ts']);
    for (const size of sizes) {
      const path = join(folder, 'day.json');
      const records = writeOriginLog(path, size);
      const run = async (how: string) => {
        const all: Outcome[] = [];
        for (let round = 0; round < rounds; round += 1) {
          all.push(await measured(join(folder, 'origin-log-child.js'), [path, how, String(DAY)]));
        }
        return all;
      };
      const label = `${(size / 1e6).toFixed(0)} MB`;
      const perCore = (all: readonly Outcome[]) => medianOf(all.map(({ cpu }) => records / cpu));
      const row = (name: string, all: readonly Outcome[]) =>
        rows.push([
          `${label}: ${name}`,
          (medianOf(all.map(({ seconds }) => records / seconds)) / 1e3).toFixed(0),
          (perCore(all) / 1e3).toFixed(0),
          (Math.max(...all.map(({ aboveIdle = 0 }) => aboveIdle)) / 1e6).toFixed(0),
          Math.max(...all.map(({ held = 0 }) => held)).toFixed(1),
        ]);
      const ours = await run('records');
      row('Edgewise, every record', ours);
      const quarter = await run('quarter');
      row('Edgewise, the checked errors of a quarter of an hour', quarter);
      const memory = Math.max(...ours.map(({ aboveIdle = 0 }) => aboveIdle));
      const held = Math.max(...[...ours, ...quarter].map((one) => one.held ?? 0));
      verdicts.push(
        {
          holds: memory <= MOST_MEMORY,
          text: `${label}: ${(memory / 1e6).toFixed(0)} MB above idle (wanted: ${MOST_MEMORY / 1e6})`,
        },
        {
          holds: held <= MOST_HELD,
          text: `${label}: the main thread was held ${held.toFixed(1)} ms at most (wanted: ${MOST_HELD})`,
        },
      );
      if (ours.some(({ lines }) => lines !== records))
        verdicts.push({ holds: false, text: `${label}: not all ${records} records were found` });
      if (missing !== undefined) {
        rows.push([`${label}: @streamparser/json`, `not installed: ${missing}`]);
        continue;
      }
      const theirs = await run('streamparser');
      row('@streamparser/json, every record', theirs);
      const ratio = perCore(ours) / perCore(theirs);
      const sums = (all: readonly Outcome[]) => all.map(({ lines, bytes }) => `${lines} ${bytes}`);
      verdicts.push(
        {
          holds: ratio >= WANTED,
          text: `${label}: ${ratio.toFixed(1)} times as many records a second as @streamparser/json (wanted: ${WANTED})`,
        },
        { holds: new Set([...sums(ours), ...sums(theirs)]).size === 1, text: `${label}: both find the same records` },
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return {
    title: 'Reading an origin-log day, without one string of it',
    columns: ['who', 'k records/s', 'k records/CPU-s', 'MB above idle', 'held max ms'],
    rows,
    notes: [
      'From the page cache, in pieces of 64 KB as they come over the network; JSON.parse of the whole fails from 512 MB on.',
      'What bounds it: JSON.parse, of many records at once. A record that is wanted is checked and its inner JSON parsed,',
      'which takes twice as long again; of a quarter of an hour all others are left out before that. What is wanted is kept:',
      'that is what the quarter takes of memory, 50,000 records at most.',
    ],
    verdicts,
  };
}
