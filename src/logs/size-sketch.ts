/** How many sizes there were in each bucket that had any, by bucket. */
export type SizeSketch = [bucket: number, requests: number][];

/** Sizes below this have a bucket each; from there on there are as many buckets to every doubling. */
const STEPS = 64;

/** No size that `sizeQuantile` says is further from the right one than this part of it. */
export const SIZE_ERROR = 1 / (2 * STEPS);

/** The buckets that hold something. */
export function sizeSketchOf(buckets: Float64Array): SizeSketch {
  const sketch: SizeSketch = [];
  for (const [bucket, requests] of buckets.entries()) if (requests > 0) sketch.push([bucket, requests]);
  return sketch;
}

/**
 * The size in bytes that this share (0 to 1) of the requests does not exceed, within `SIZE_ERROR` of it; undefined without
 * requests.
 */
export function sizeQuantile(sketch: SizeSketch, share: number): number | undefined {
  const all = sketch.reduce((sum, [, requests]) => sum + requests, 0);
  const rank = Math.max(1, Math.ceil(share * all));
  let seen = 0;
  for (const [bucket, requests] of sketch) {
    seen += requests;
    if (seen >= rank) return middleOf(bucket);
  }
  return undefined;
}

/** The middle of the whole numbers of a bucket. */
function middleOf(bucket: number): number {
  if (bucket < STEPS) return bucket;
  const width = 2 ** (Math.floor(bucket / STEPS) - 1);
  return (STEPS + (bucket % STEPS)) * width + (width - 1) / 2;
}
