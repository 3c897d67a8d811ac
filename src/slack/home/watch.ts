import type { Message } from '../../blocks/message.ts';
import { MINUTE } from '../../time.ts';

/** A Home tab is kept up to date for so long after it was opened, in milliseconds: Slack does not tell when it is closed. */
export const KEPT_FOR = 15 * MINUTE;

/** Somebody, as Slack names them. */
interface Person {
  userId: string;
  teamId: string;
}

type Blocks = Message['blocks'];

interface Kept {
  person: Person;
  openedAt: number;
  shown: string;
}

/** The Home tabs that people look at, as far as that is known. */
export interface HomeTabs {
  /** Somebody opened theirs at a moment (`performance.now()`), and was shown these blocks. */
  opened(person: Person, blocks: Blocks, now: number): void;
  /** Makes each of them anew, and gives those that changed to `publish`. One after the other: nobody waits for it. One that fails is left, and the first failure is thrown at the end. */
  refresh(
    make: (person: Person) => Promise<Blocks>,
    publish: (person: Person, blocks: Blocks) => Promise<void>,
    now: number,
  ): Promise<void>;
}

/** None is open. */
export function createHomeTabs(): HomeTabs {
  const all = new Map<string, Kept>();
  return {
    opened(person, blocks, now) {
      all.delete(person.userId);
      all.set(person.userId, { person, openedAt: now, shown: JSON.stringify(blocks) });
      const [oldest] = all.keys();
      if (all.size > 200 && oldest !== undefined) all.delete(oldest);
    },
    async refresh(make, publish, now) {
      let failed: unknown;
      for (const [id, kept] of [...all]) {
        if (now - kept.openedAt >= KEPT_FOR) {
          all.delete(id);
          continue;
        }
        try {
          const blocks = await make(kept.person);
          const shown = JSON.stringify(blocks);
          // Opened again in between: that is newer.
          if (shown === kept.shown || all.get(id) !== kept) continue;
          await publish(kept.person, blocks);
          kept.shown = shown;
        } catch (error) {
          // Those of others are not left for it.
          all.delete(id);
          failed ??= error;
        }
      }
      if (failed !== undefined) throw failed;
    },
  };
}
