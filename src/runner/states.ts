/** Equal as data, whatever the order of the fields. Two unknown states are equal: nothing says that something changed. */
export function sameState(a: Record<string, unknown> | undefined, b: Record<string, unknown> | undefined): boolean {
  return canonical(a) === canonical(b);
}

function canonical(state: Record<string, unknown> | undefined): string {
  if (state === undefined) return '';
  const entries = Object.entries(state).filter(([, value]) => value !== undefined);
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
