import { visibleInFile } from './mrkdwn.ts';

/**
 * Text as a field of a CSV file (RFC 4180) that no spreadsheet runs: behind an apostrophe, and in quotes, so that no separator
 * of any country splits it.
 */
export function csvField(text: string): string {
  const shown = visibleInFile(text);
  // A spreadsheet takes it for the beginning of a formula, whatever invisible stands before it; also in its wide
  // forms.
  const harmless = /^[\s\p{C}\p{Z}]*[=+\-@|%＝＋－＠]/u.test(shown) || /^[\t\r\n]/.test(shown) ? `'${shown}` : shown;
  return `"${harmless.replaceAll('"', '""')}"`;
}

/** Fields as a file. */
export function csvLines(lines: readonly (readonly string[])[]): string {
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
}
