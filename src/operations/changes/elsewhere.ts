import { LATE } from '../../changed.ts';
import { apart } from '../../interaction.ts';
import type { Platform } from '../../platform/client.ts';
import { PlatformError } from '../../platform/errors.ts';
import type { UserAuditEntry } from '../../platform/resources/user-audit.ts';
import { DAY, HOUR } from '../../time.ts';

export type Elsewhere = ReturnType<typeof createElsewhere>;

/** The platform’s audit, read once for all who ask. */
export function createElsewhere({ platform, now }: { platform: Platform; now: () => Date }) {
  /** All entries since `from`, read at that time. */
  let known: { from: Date; at: Date; entries: readonly UserAuditEntry[] } | undefined;
  let refused: { at: Date; status: number } | undefined;
  let underway: Promise<unknown> = Promise.resolve();

  async function look(asked: Date) {
    const at = now();
    const age = (since: Date) => at.getTime() - since.getTime();
    // Rights may be given meanwhile.
    if (refused !== undefined && age(refused.at) < HOUR) return undefined;
    const last = known !== undefined && known.from <= asked ? known : undefined;
    if (last !== undefined && age(last.at) < 10_000) return { ...last, isCut: false };
    // The changes of a day show which actor the bot’s key is.
    const from = new Date(Math.min(asked.getTime(), at.getTime() - DAY));
    const since = last === undefined ? from : new Date(Math.max(from.getTime(), last.at.getTime() - LATE));
    try {
      // The clock of the platform may be ahead.
      const stretch = { from: since, to: new Date(at.getTime() + LATE) };
      const { entries, isCut } = await platform.userAudit.between(stretch, { priority: 'background' });
      const kept = last?.entries.filter((one) => one.at >= from && one.at < since) ?? [];
      refused = undefined;
      known = { at, from: isCut ? (entries.at(-1)?.at ?? at) : from, entries: [...kept, ...entries] };
      return { ...known, isCut: known.from > asked };
    } catch (error) {
      if (!(error instanceof PlatformError && [401, 403, 404].includes(error.status))) throw error;
      refused = { at, status: error.status };
      return undefined;
    }
  }

  return {
    /** Entries since then, and maybe earlier ones. Throws PlatformFailure. Undefined: the key may not read them. */
    read(from: Date) {
      // One after the other, so that the second caller gets what the first has read.
      const reading = underway.then(() => apart(() => look(from)));
      underway = reading.catch(() => undefined);
      return reading;
    },
    /** Why it is off. */
    refused: () => refused && `the platform’s audit may not be read with this key (${refused.status})`,
  };
}
