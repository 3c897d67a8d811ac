import { visibleInFile } from './mrkdwn.ts';

/** A field (RFC 4180) that no spreadsheet runs, quoted so that no country's separator splits it. */
export function csvField(text: string): string {
  const shown = visibleInFile(text);
  // The beginning of a formula, whatever invisible stands before it; also in its wide forms.
  const harmless = /^[\s\p{C}\p{Z}]*[=+\-@|%＝＋－＠]/u.test(shown) || /^[\t\r\n]/.test(shown) ? `'${shown}` : shown;
  return `"${harmless.replaceAll('"', '""')}"`;
}

export function csvLines(lines: readonly (readonly string[])[]): string {
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
}
