/** Equal as data, whatever the order of the fields. Two unknown states are equal: nothing says that something changed. */
export function sameState(a: Record<string, unknown> | undefined, b: Record<string, unknown> | undefined): boolean {
  return canonical(a) === canonical(b);
}

function canonical(state: Record<string, unknown> | undefined): string | undefined {
  const known = state && Object.entries(state).filter(([, value]) => value !== undefined);
  return known && JSON.stringify(known.map((field) => JSON.stringify(field)).sort());
}
