import { LATE } from '../../changed.ts';
import { apart } from '../../interaction.ts';
import type { Platform } from '../../platform/client.ts';
import { PlatformError } from '../../platform/errors.ts';
import type { UserAuditEntry } from '../../platform/resources/user-audit.ts';
import { DAY, HOUR } from '../../time.ts';

/** In milliseconds: how long others use what was read. */
const FRESH = 10_000;

interface Read {
  from: Date;
  at: Date;
  entries: readonly UserAuditEntry[];
  isCut: boolean;
}

/** The platform’s audit, read once for all who ask. */
export interface Elsewhere {
  /** At least since then, and for a day, which shows whose the bot’s key is. Throws PlatformFailure. Undefined: the key may not. */
  read(from: Date): Promise<Read | undefined>;
  /** Why it is off. */
  refused(): string | undefined;
}

export function createElsewhere({ platform, now }: { platform: Platform; now: () => Date }): Elsewhere {
  let known: Read | undefined;
  let refused: { at: Date; status: number } | undefined;
  let underway: Promise<unknown> = Promise.resolve();

  async function look(asked: Date): Promise<Read | undefined> {
    const at = now();
    const age = ({ at: since }: { at: Date }) => at.getTime() - since.getTime();
    // Rights may be given meanwhile.
    if (refused !== undefined && age(refused) < HOUR) return undefined;
    const wanted = new Date(Math.min(asked.getTime(), at.getTime() - DAY));
    const last = known !== undefined && known.from <= asked && age(known) < DAY - LATE ? known : undefined;
    if (last !== undefined && age(last) < FRESH) return last;
    const from = last === undefined ? wanted : new Date(last.at.getTime() - LATE);
    // The clock of the platform may be ahead.
    const stretch = { from, to: new Date(at.getTime() + LATE) };
    try {
      const { entries, isCut } = await platform.userAudit.between(stretch, { priority: 'background' });
      const before = last?.entries.filter((entry) => entry.at < from && entry.at >= wanted) ?? [];
      refused = undefined;
      known = { at, from: wanted, entries: [...before, ...entries], isCut: isCut || (last?.isCut ?? false) };
      return known;
    } catch (error) {
      if (!(error instanceof PlatformError && [401, 403, 404].includes(error.status))) throw error;
      refused = { at, status: error.status };
      return undefined;
    }
  }

  return {
    read(from) {
      // One after the other: who comes second has what the first has read.
      const reading = underway.then(() => apart(() => look(from)));
      underway = reading.catch(() => undefined);
      return reading;
    },
    refused: () => refused && `off: the platform’s audit may not be read with this key (${refused.status})`,
  };
}
