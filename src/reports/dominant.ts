/** The value that at least `part` (0 to 1) of the items share. Undefined: there is none. */
export function dominant<T, V>(items: readonly T[], read: (item: T) => V | undefined, part: number): V | undefined {
  const counts = new Map<V, number>();
  for (const item of items) {
    const value = read(item);
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  return most !== undefined && most[1] >= part * items.length ? most[0] : undefined;
}
