/** `--for 30m`: after how many ms it is put back by itself. */
export function durationOf(values: Record<string, unknown>): number | undefined {
  return typeof values.for === 'number' ? values.for : undefined;
}

/** `30 min`, or `2 h`. */
export function durationWords(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;
}
