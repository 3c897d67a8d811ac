import { startsSaid } from './words.ts';

const MINUTE_MS = 60_000;
/** A message does not say of how long its share is: that of any of these is right, of the incident too. */
const SPANS = [3, 5, 10, 15, 30, 45];
const OFF = 1.33;
const POINTS = 0.003;

const SHARE = /(\d+(?:\.\d+)?)\s?% of (?:the )?requests fail/;

/** The share of a zone's requests that fail, from 0 to 1; times in Unix milliseconds. */
export type FailingShare = (zone: string, from: number, to: number) => number;

/** A share that was said, and the least and the most that was true: from 0 to 1. */
export interface SaidShare {
  at: number;
  zone: string;
  said: number;
  least: number;
  most: number;
  isRight: boolean;
}

/** The shares of failing requests in a text, line by line, beside the truth. */
export function sharesSaid(
  text: string,
  at: number,
  { zones, failing, timeZone }: { zones: readonly string[]; failing: FailingShare; timeZone?: string | undefined },
): SaidShare[] {
  return text.split('\n').flatMap((line) => {
    const zone = zones.find((name) => new RegExp(`^\\W*${name}(?![\\w-])`).test(line));
    const share = SHARE.exec(line)?.[1];
    if (zone === undefined || share === undefined) return [];
    const begun = Math.min(startsSaid(line, at, timeZone)[0] ?? at, at - MINUTE_MS);
    const spans = [begun, ...SPANS.map((minutes) => Math.max(begun, at - minutes * MINUTE_MS))];
    const truths = spans.map((from) => failing(zone, from, at));
    const [least, most, said] = [Math.min(...truths), Math.max(...truths), Number(share) / 100];
    const isRight = said >= least / OFF - POINTS && said <= most * OFF + POINTS;
    return [{ at, zone, said, least, most, isRight }];
  });
}
