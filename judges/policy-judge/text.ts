/** A policy as the text of a file, each entry on a line of its own, and which line that is. */
import type { WrittenFile } from './written.ts';

/** The file, and the line of each entry by where it stands, such as `roles.shop.0` or `approval.2`. */
export interface WrittenText {
  text: string;
  lines: ReadonlyMap<string, number>;
}

/** Writes it: JSON inside of YAML, so that every letter is kept. */
export function textOf({ roles = {}, channels = {}, approval = [] }: WrittenFile): WrittenText {
  const rows: string[] = [];
  const lines = new Map<string, number>();
  const write = (row: string, at?: string) => {
    rows.push(row);
    if (at !== undefined) lines.set(at, rows.length);
  };
  if (Object.keys(roles).length > 0) write('roles:');
  for (const [name, { allow, ...role }] of Object.entries(roles)) {
    write(`  ${JSON.stringify(name)}:`);
    for (const [key, value] of Object.entries(role)) write(`    ${key}: ${JSON.stringify(value)}`);
    write('    allow:');
    for (const [index, entry] of allow.entries()) write(`      - ${JSON.stringify(entry)}`, `roles.${name}.${index}`);
  }
  if (Object.keys(channels).length > 0) write('channels:');
  for (const [name, { allow }] of Object.entries(channels)) {
    write(`  ${JSON.stringify(name)}:`, `channels.${name}`);
    write('    allow:', `channels.${name}.allow`);
    for (const [index, entry] of allow.entries())
      write(`      - ${JSON.stringify(entry)}`, `channels.${name}.${index}`);
  }
  if (approval.length > 0) write('approval:');
  for (const [index, entry] of approval.entries()) write(`  - ${JSON.stringify(entry)}`, `approval.${index}`);
  return { text: `${rows.join('\n')}\n`, lines };
}
