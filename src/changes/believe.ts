import { UsageError } from '../errors.ts';
import { toType } from '../own-name.ts';
import type { Word } from '../store/audit-chain.ts';
import { CONFIRMATION_LIFETIME, type Confirmation } from '../store/confirmations.ts';
import { auditWord, statesIn } from './change.ts';
import { approvalRuleOf } from './permission.ts';
import type { Services } from './services.ts';

const ENDS = new Set(statesIn('over').map(auditWord));
/** The platform did it, or may have. */
const isMade = ({ outcome }: Word): boolean => outcome === 'done' || outcome === 'unknown';

/** Throws UsageError if the audit contradicts the stored state, which somebody else may have written: states are not signed. */
export async function believe(services: Services, confirmation: Confirmation): Promise<void> {
  const { audit, confirmations, keyed } = services.store;
  if (!keyed) return;
  const { id, undoes } = confirmation;
  const original = undoes === undefined ? confirmation : await confirmations.read(undoes);
  const found = original && (await audit.about(original.id, original.createdAt));
  const isLetThrough = ({ confirmation: about, outcome }: Word) => about === original?.id && outcome === 'break-glass';
  const why =
    found === undefined
      ? 'audit entries made since this was asked for are missing or were altered'
      : original?.glassBroken === true && !found.words.some(isLetThrough)
        ? 'the audit has no entry that it was let through without approval'
        : doubtOf(services, confirmation, found.words, found.now);
  if (why === undefined) return;
  services.log.error({ confirmation: id, why }, 'the store does not say what the bot has written there');
  throw new UsageError(`The bot’s store was changed by somebody else: ${why}.`, {
    hint: `Tell whoever runs Edgewise; ${toType('audit verify')} says more.`,
  });
}

function doubtOf(
  services: Services,
  confirmation: Confirmation,
  words: readonly Word[],
  now: Date,
): string | undefined {
  const { id, undoes } = confirmation;
  const own = words.filter((word) => word.confirmation === id);
  const end = own.find(({ outcome }) => ENDS.has(outcome));
  if (end !== undefined) return `the audit says that this has already ended (${end.outcome})`;
  if (undoes !== undefined) {
    if (!words.some((word) => word.confirmation === undoes && isMade(word)))
      return 'the audit has no entry that this was done';
    return words.some((word) => word.confirmation !== undoes && isMade(word))
      ? 'the audit says that this was already undone'
      : undefined;
  }
  return now.getTime() > latestExpiry(services, confirmation, own) ? 'its time was over' : undefined;
}

/** Until when it can have been runnable, by the audit and the signed row. */
function latestExpiry(services: Services, confirmation: Confirmation, words: readonly Word[]): number {
  const { createdAt, approval, due } = confirmation;
  const approving = Math.max(approval?.lifetime ?? 0, approvalRuleOf(services, confirmation)?.expires ?? 0);
  const lifetimes: Record<string, number> = {
    waiting: approving,
    approved: approving,
    'break-glass': CONFIRMATION_LIFETIME,
  };
  const planned = words.some(({ outcome }) => outcome === 'planned') ? (due?.getTime() ?? 0) : 0;
  const ends = words.map(({ outcome, at }) => at.getTime() + (lifetimes[outcome] ?? 0));
  return Math.max(createdAt.getTime() + CONFIRMATION_LIFETIME, planned + CONFIRMATION_LIFETIME, ...ends) + 5_000;
}
