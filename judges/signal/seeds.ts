import type { WeekKind } from './model/background.ts';
import { type IncidentKind, KINDS } from './model/incidents.ts';
import { createRandom, shuffled } from './model/random.ts';

/** What rules may be tuned on, what is looked at once, at the end, and what was drawn when all of that had been looked at. */
export type Half = 'tuning' | 'unseen' | 'fresh' | 'later';

export interface Week {
  half: Half;
  kind: WeekKind;
  seed: number;
  /** A Monday, midnight in UTC. */
  from: Date;
  /** What happens in it; one incident of each. */
  kinds: readonly IncidentKind[];
}

/**
 * Half, kind of week, seed, first day. Drawn by dice before anything was run on them; the clocks of Europe or America change
 * in some.
 */
const DRAWN = [
  'tuning quiet 656615 2026-03-23',
  'tuning quiet 147058 2026-10-19',
  'tuning quiet 799562 2026-06-15',
  'tuning quiet 335510 2026-09-28',
  'tuning quiet 592884 2025-12-22',
  'tuning quiet 14822 2025-12-15',
  'tuning quiet 921604 2025-11-03',
  'tuning quiet 587311 2026-02-09',
  'tuning quiet 804324 2026-01-26',
  'tuning quiet 580525 2026-09-21',
  'tuning quiet 555451 2026-10-19',
  'tuning quiet 691263 2025-12-01',
  'tuning incidents 859035 2025-12-01',
  'tuning incidents 514474 2026-09-14',
  'tuning incidents 709514 2026-10-05',
  'tuning incidents 425624 2026-08-31',
  'tuning incidents 401820 2025-09-08',
  'tuning incidents 780904 2026-07-20',
  'tuning incidents 168208 2025-09-15',
  'tuning incidents 615206 2026-09-07',
  'tuning incidents 139406 2026-08-10',
  'tuning incidents 842303 2026-01-05',
  'tuning incidents 35905 2026-09-21',
  'tuning incidents 775118 2026-04-06',
  'tuning incidents 528378 2025-09-01',
  'tuning incidents 563112 2026-06-01',
  'tuning incidents 839582 2025-11-10',
  'tuning incidents 810363 2026-08-24',
  'tuning incidents 370609 2026-06-01',
  'tuning incidents 240561 2025-12-22',
  'tuning incidents 445234 2025-11-24',
  'tuning incidents 895341 2026-03-23',
  'tuning incidents 54060 2025-11-24',
  'tuning incidents 536408 2026-02-16',
  'tuning incidents 235522 2025-12-15',
  'tuning incidents 567730 2026-01-19',
  'tuning incidents 768365 2026-01-12',
  'tuning incidents 603868 2025-10-13',
  'tuning incidents 50118 2026-04-06',
  'tuning incidents 73926 2025-10-13',
  'tuning incidents 41659 2025-12-29',
  'tuning incidents 295435 2026-05-04',
  'tuning incidents 596159 2025-10-13',
  'tuning incidents 472823 2025-12-01',
  'tuning incidents 147582 2026-03-30',
  'tuning incidents 302833 2026-07-06',
  'tuning daily 15618 2025-10-20',
  'tuning daily 325773 2026-10-26',
  'tuning daily 125069 2026-04-06',
  'tuning daily 93129 2026-09-07',
  'tuning daily 409894 2025-11-10',
  'tuning daily 924103 2026-09-14',
  'unseen quiet 978115 2026-03-23',
  'unseen quiet 894648 2026-10-19',
  'unseen quiet 140758 2025-09-15',
  'unseen quiet 751348 2026-04-13',
  'unseen quiet 81169 2026-10-12',
  'unseen quiet 234835 2025-11-17',
  'unseen quiet 899837 2026-06-22',
  'unseen quiet 627717 2025-10-13',
  'unseen quiet 587618 2026-02-16',
  'unseen quiet 815355 2026-03-16',
  'unseen quiet 552873 2026-05-11',
  'unseen quiet 590200 2025-09-15',
  'unseen incidents 64403 2026-05-11',
  'unseen incidents 803830 2026-04-06',
  'unseen incidents 475179 2026-02-23',
  'unseen incidents 418973 2025-11-03',
  'unseen incidents 841119 2025-12-29',
  'unseen incidents 501292 2025-10-27',
  'unseen incidents 498741 2026-08-17',
  'unseen incidents 690440 2025-11-03',
  'unseen incidents 410888 2026-09-14',
  'unseen incidents 911013 2026-07-06',
  'unseen incidents 160772 2026-01-05',
  'unseen incidents 599654 2026-09-14',
  'unseen incidents 350965 2026-02-09',
  'unseen incidents 24932 2025-09-08',
  'unseen incidents 745118 2026-01-12',
  'unseen incidents 270787 2026-05-11',
  'unseen incidents 690522 2026-08-24',
  'unseen incidents 964315 2025-12-29',
  'unseen incidents 331732 2025-12-22',
  'unseen incidents 116782 2025-10-06',
  'unseen incidents 457004 2026-05-18',
  'unseen incidents 758169 2025-09-22',
  'unseen incidents 957499 2025-12-22',
  'unseen incidents 614783 2026-10-19',
  'unseen incidents 905251 2026-04-13',
  'unseen incidents 679794 2026-07-20',
  'unseen incidents 862050 2026-08-03',
  'unseen incidents 196306 2026-06-01',
  'unseen incidents 290029 2026-06-29',
  'unseen incidents 784479 2026-06-15',
  'unseen incidents 340433 2026-06-08',
  'unseen incidents 865172 2026-04-27',
  'unseen incidents 313368 2026-03-16',
  'unseen incidents 416756 2025-11-03',
  'unseen daily 853721 2025-10-20',
  'unseen daily 521026 2026-10-26',
  'unseen daily 738179 2026-07-06',
  'unseen daily 969241 2026-05-18',
  'unseen daily 849656 2025-12-15',
  'unseen daily 544468 2026-05-25',
  'fresh quiet 878349 2026-05-18',
  'fresh quiet 750253 2025-12-22',
  'fresh quiet 797875 2025-10-06',
  'fresh quiet 976822 2025-11-17',
  'fresh quiet 759577 2025-09-29',
  'fresh quiet 454163 2026-03-30',
  'fresh quiet 975971 2026-08-03',
  'fresh quiet 102306 2026-04-13',
  'fresh incidents 457725 2025-11-24',
  'fresh incidents 781392 2026-09-28',
  'fresh incidents 460429 2026-01-19',
  'fresh incidents 172548 2026-03-16',
  'fresh incidents 589485 2026-03-02',
  'fresh incidents 379214 2026-02-23',
  'fresh incidents 972503 2026-06-08',
  'fresh incidents 709813 2026-10-26',
  'fresh incidents 249340 2026-02-02',
  'fresh incidents 893834 2026-05-25',
  'fresh incidents 770430 2026-11-02',
  'fresh incidents 726706 2025-09-29',
  'fresh incidents 361264 2026-05-18',
  'fresh incidents 463629 2025-12-22',
  'fresh incidents 455422 2026-01-19',
  'fresh incidents 72759 2026-07-20',
  'fresh incidents 132223 2026-03-23',
  'fresh daily 733481 2026-09-14',
  'fresh daily 812981 2025-09-01',
  'fresh daily 145316 2026-04-06',
  'fresh daily 138711 2026-10-26',
  'fresh daily 240037 2026-07-06',
  'fresh daily 566294 2026-07-20',
  'later daily 90049 2025-09-15',
  'later daily 978021 2026-07-06',
  'later daily 379581 2026-01-26',
  'later daily 838298 2026-09-14',
  'later daily 836238 2026-03-16',
  'later daily 619244 2026-07-06',
  'later daily 597808 2025-12-15',
  'later daily 91891 2026-08-17',
  'later daily 622602 2026-02-16',
  'later daily 388289 2026-03-23',
  'later daily 393013 2025-09-08',
  'later daily 407504 2025-12-22',
  'later daily 376577 2025-10-27',
  'later daily 821439 2026-04-13',
] as const;

/** Incidents of a week with incidents: seventeen weeks have seven of every kind, thirty-four have fourteen. */
const A_WEEK = 7;
const DECK_SEEDS: Readonly<Record<Half, number>> = { tuning: 90_417, unseen: 33_806, fresh: 46_009, later: 71_353 };

function dealt(half: Half): IncidentKind[] {
  const random = createRandom(DECK_SEEDS[half]);
  return Array.from({ length: 14 }, () => shuffled(random, KINDS)).flat();
}

function readWeeks(): Week[] {
  const decks: Record<Half, IncidentKind[]> = {
    tuning: dealt('tuning'),
    unseen: dealt('unseen'),
    fresh: dealt('fresh'),
    later: dealt('later'),
  };
  return DRAWN.map((row) => {
    const [half, kind, seed, day] = row.split(' ') as [Half, WeekKind, string, string];
    const kinds = kind === 'incidents' ? decks[half].splice(0, A_WEEK) : [];
    return { half, kind, seed: Number(seed), from: new Date(`${day}T00:00:00Z`), kinds };
  });
}

export const WEEKS: readonly Week[] = readWeeks();

/** The weeks of a half, and of a kind of week. */
export const weeksOf = (half: Half, kind?: WeekKind): Week[] =>
  WEEKS.filter((week) => week.half === half && (kind === undefined || week.kind === kind));

/** A week by its seed; a seed that is none of these gets a week with incidents of its own, on the tuning side. */
export function weekOf(seed: Week | number, from?: Date): Week {
  if (typeof seed !== 'number') return from === undefined ? seed : { ...seed, from };
  const known = WEEKS.find((week) => week.seed === seed);
  if (known !== undefined) return from === undefined ? known : { ...known, from };
  const kinds = shuffled(createRandom(seed), KINDS).slice(0, A_WEEK);
  return { half: 'tuning', kind: 'incidents', seed, from: from ?? new Date('2026-03-02T00:00:00Z'), kinds };
}
