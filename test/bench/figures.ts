/** The median of some figures; the upper of the two middle ones when their number is even. */
export function medianOf(figures: readonly number[]): number {
  return percentileOf(figures, 0.5);
}

/** The figure that this share (0–1) of the figures does not exceed. */
export function percentileOf(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** `min / median / max`, each with so many decimals. */
export function spreadOf(figures: readonly number[], decimals = 0): string {
  return [Math.min(...figures), medianOf(figures), Math.max(...figures)]
    .map((figure) => figure.toFixed(decimals))
    .join(' / ');
}

/** What a subject found out: a table, and what has to hold. */
export interface Report {
  title: string;
  columns: string[];
  rows: string[][];
  /** Under the table: how it was measured, what it does not show. */
  notes: string[];
  verdicts: { holds: boolean; text: string }[];
}

/** The report as lines for a terminal: first column to the left, figures to the right. */
export function linesOf({ title, columns, rows, notes, verdicts }: Report): string[] {
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...rows.map((row) => (row[index] ?? '').length)),
  );
  const line = (cells: string[]) =>
    cells
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  ');
  return [
    '',
    title,
    '',
    line(columns),
    widths.map((width) => '-'.repeat(width)).join('  '),
    ...rows.map(line),
    '',
    ...notes.map((note) => `  ${note}`),
    ...verdicts.map(({ holds, text }) => `  ${holds ? 'holds' : 'MISSED'}: ${text}`),
  ];
}
