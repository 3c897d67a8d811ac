/** Runs at most `atOnce` at a time. Results keep the order. Stops at the first error. */
export async function several<T, R>(things: readonly T[], atOnce: number, run: (thing: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = things.entries();
  const worker = async () => {
    for (const [index, thing] of left) results[index] = await run(thing);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, things.length) }, worker));
  return results;
}
