import type { Trouble } from '../reports/report.ts';
import type { ReportLedger } from '../store/report-ledger.ts';

const MINUTE = 60_000;
/** Between a message and its first update, in milliseconds; each further pause is twice as long, up to the longest. */
const FIRST_PAUSE = 5 * MINUTE;
const LONGEST_PAUSE = 4 * 60 * MINUTE;
/** So long there has to be nothing before it is over. */
const OVER_AFTER = 30 * MINUTE;
/** After so long it is told anew: a message of yesterday is not read again. */
const TOLD_ANEW = 24 * 60 * MINUTE;
/** What goes on for so long, some three days, is the usual from then on. */
const LONGEST = 70 * 60 * MINUTE;
/** What comes so many times as often as was told is worth a message of its own. */
const MUCH_MORE = 10;
/** So long a storm rises: that there is more than in its first minutes is no news. */
const RISING = 45 * MINUTE;

/** The place of a subscription's storm in the ledger. */
const STORM = 'storm';

/** Something that is wrong and was told, until it is over. */
export interface Storm {
  /** Its message, which is kept up to date. */
  ts: string;
  /** When it began: what was there before is the usual. */
  calm: Date;
  /** From when on its message tells. */
  from: Date;
  /** When something was last wrong: the end of that stretch. */
  last: Date;
  /** The message is not brought up to date before then. */
  next: Date;
  updates: number;
  kinds: readonly string[];
  places: readonly string[];
  /** The most of one kind that was told, in an hour. */
  hourly: number;
}

/**
 * What a stretch means for a storm: `told` is a new one, or one with something in it that nobody was told; `usual` one that
 * goes on for so long that it is none any more.
 */
export type StormStep = { is: 'calm' } | { is: 'told' | 'kept' | 'updated' | 'over' | 'usual'; storm: Storm };

/** Pure: what is to be done after a stretch that ends at `to` and has these troubles. */
export function stormStep(
  known: Storm | undefined,
  troubles: readonly Trouble[],
  stretch: { from: Date; to: Date },
): StormStep {
  const { to } = stretch;
  if (troubles.length === 0) {
    if (known === undefined) return { is: 'calm' };
    const isOver = to.getTime() - known.last.getTime() >= OVER_AFTER;
    return { is: isOver ? 'over' : 'kept', storm: known };
  }
  if (known !== undefined && to.getTime() - known.calm.getTime() >= LONGEST) return { is: 'usual', storm: known };
  const hourly = Math.max(...troubles.map((trouble) => trouble.hourly));
  const both = (before: readonly string[] = [], now: readonly string[]) => [...new Set([...before, ...now])];
  const kinds = both(
    known?.kinds,
    troubles.map(({ kind }) => kind),
  );
  const places = both(
    known?.places,
    troubles.map(({ zone }) => zone),
  );
  const isOld = known !== undefined && to.getTime() - known.from.getTime() >= TOLD_ANEW;
  const isRising = known !== undefined && to.getTime() - known.calm.getTime() <= RISING;
  const isTold =
    known !== undefined &&
    !isOld &&
    troubles.every(({ kind, zone }) => known.kinds.includes(kind) || known.places.includes(zone)) &&
    (isRising || hourly < MUCH_MORE * known.hourly);
  if (!isTold) {
    const from = known === undefined || isOld ? stretch.from : known.from;
    const next = new Date(to.getTime() + FIRST_PAUSE);
    const calm = known?.calm ?? stretch.from;
    const most = Math.max(known?.hourly ?? 0, hourly);
    return { is: 'told', storm: { ts: '', calm, from, last: to, next, updates: 0, kinds, places, hourly: most } };
  }
  const most = isRising ? Math.max(known.hourly, hourly) : known.hourly;
  const storm = { ...known, last: to, kinds, places, hourly: most };
  if (to < storm.next) return { is: 'kept', storm };
  const updates = storm.updates + 1;
  const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** updates);
  return { is: 'updated', storm: { ...storm, updates, next: new Date(to.getTime() + pause) } };
}

/** The storms of the subscriptions, in the store: whichever replica has the next slot goes on with them. */
export interface Storms {
  /** One whose message is known. */
  read(subscription: number): Promise<Storm | undefined>;
  /** Before its message is sent: whoever finds that message in Slack knows what it is about. */
  intend(subscription: number, storm: Storm): Promise<void>;
  keep(subscription: number, storm: Storm): Promise<void>;
  /** The message of an intended storm was found. */
  found(subscription: number, ts: string): Promise<void>;
  end(subscription: number): Promise<void>;
}

export function createStorms(ledger: Pick<ReportLedger, 'place' | 'setPlace' | 'dropPlace'>): Storms {
  const kept = async (subscription: number) => {
    const place = await ledger.place(subscription, STORM);
    return place === undefined ? undefined : { ...stormOf(place.content), ts: place.ts };
  };
  const keep = (subscription: number, { ts, ...storm }: Storm) =>
    ledger.setPlace(subscription, STORM, { ts, content: JSON.stringify(storm) });
  return {
    async read(subscription) {
      const storm = await kept(subscription);
      return storm?.ts === '' ? undefined : storm;
    },
    intend: (subscription, storm) => keep(subscription, { ...storm, ts: '' }),
    keep,
    async found(subscription, ts) {
      const storm = await kept(subscription);
      if (storm?.ts === '') await keep(subscription, { ...storm, ts });
    },
    end: (subscription) => ledger.dropPlace(subscription, STORM),
  };
}

function stormOf(content: string): Omit<Storm, 'ts'> {
  const { calm, from, last, next, ...rest } = JSON.parse(content) as Storm;
  return { ...rest, calm: new Date(calm), from: new Date(from), last: new Date(last), next: new Date(next) };
}
