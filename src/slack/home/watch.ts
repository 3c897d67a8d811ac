import type { Message } from '../../blocks/message.ts';
import { MINUTE } from '../../time.ts';

/** In milliseconds: Slack does not tell when it is closed. */
export const KEPT_FOR = 15 * MINUTE;

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

export interface HomeTabs {
  /** `now` is of `performance.now()`. */
  opened(person: Person, blocks: Blocks, now: number): void;
  /** Publishes those that changed, one after the other. The first failure is thrown at the end. */
  refresh(
    make: (person: Person) => Promise<Blocks>,
    publish: (person: Person, blocks: Blocks) => Promise<void>,
    now: number,
  ): Promise<void>;
}

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
          all.delete(id);
          failed ??= error;
        }
      }
      if (failed !== undefined) throw failed;
    },
  };
}
