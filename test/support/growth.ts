/** Characters of the shorter text: four times as many are still read, of a line and of a text of the platform. */
const SIZE = 4_900;
/** What is quicker (ms) on such a text cannot have looked at every pair of its characters: nobody measures it further. */
const TOO_QUICK = 1;
/** How much longer twice the text may take; four times the text are looked at, which tells more clearly. */
const MOST = 2.5 ** 2;
/** A busy machine makes one look slow; of many, the quickest is the work itself. */
const TRIES = 12;

/** CPU time (ms): what else the machine does in the meantime does not count. */
const timeOf = async (work: () => unknown): Promise<number> => {
  const started = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1_000;
};

/**
 * How many times as long twice the text takes, by the CPU time of the quickest of several looks; undefined where that is at most 2.5, as soon as it
 * is seen, or where it is too quick to matter.
 */
export async function growthOf(
  work: (text: string) => unknown,
  shape: (length: number) => string,
): Promise<number | undefined> {
  const [one, four] = [shape(SIZE), shape(4 * SIZE)];
  const fourTimes = async () => {
    for (let look = 0; look < 4; look += 1) await work(one);
  };
  if ((await timeOf(() => work(one))) < TOO_QUICK) return undefined;
  let [short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let attempt = 0; attempt < TRIES && short >= TOO_QUICK; attempt += 1) {
    // As much work at a time for both: what is quicker gets through a busy machine undisturbed more often.
    short = Math.min(short, (await timeOf(fourTimes)) / 4);
    long = Math.min(long, await timeOf(() => work(four)));
    if (long <= MOST * short) return undefined;
    // Far beyond any noise: more looks would only take long.
    if (attempt > 3 && long > 2 * MOST * short) break;
  }
  return short < TOO_QUICK ? undefined : Math.sqrt(long / short);
}
