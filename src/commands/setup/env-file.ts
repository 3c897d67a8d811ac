import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { settingsOf } from '../../setting-checks.ts';

/** The draft has the answers of a stopped setup. */
export const FILES = { settings: '.env', draft: '.env.draft' } as const;

export const readSettings = (file: string) =>
  existsSync(file) ? settingsOf(parseEnv(readFileSync(file, 'utf8'))) : {};

/** Values in their places, new ones at the end, comments as they were. */
export function withSettings(text: string, values: Readonly<Record<string, string>>): string {
  const left = new Map(Object.entries(values));
  const lines = text.split('\n').map((line) => {
    const name = /^\s*(?:export\s+)?(\w+)\s*=/.exec(line)?.[1] ?? '';
    const value = left.get(name);
    if (value === undefined) return line;
    left.delete(name);
    return lineOf(name, value);
  });
  while (lines.at(-1) === '') lines.pop();
  return `${[...lines, ...[...left].map(([name, value]) => lineOf(name, value))].join('\n')}\n`;
}

/** As Node reads it back. */
function lineOf(name: string, value: string): string {
  if (/^[\w@%+=:,./-]*$/.test(value)) return `${name}=${value}`;
  const quote = ["'", '"', '`'].find((one) => !value.includes(one)) ?? '"';
  return `${name}=${quote}${value}${quote}`;
}

/** For this user alone, whole or not at all. */
export function writeWhole(file: string, text: string): void {
  const beside = `${file}.${process.pid}`;
  rmSync(beside, { force: true });
  const handle = openSync(beside, 'wx', 0o600);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(beside, file);
}
