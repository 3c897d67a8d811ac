import type { Message } from '../blocks/message.ts';
import type { Option } from '../operations/argument.ts';
import type { Actor, Reader } from '../operations/context.ts';
import type { AnyOperation } from '../operations/operation.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { type Approving, createApproving } from './approve.ts';
import { type Answer, createAsking, type Following, type Request } from './ask.ts';
import { createConfirming } from './confirm.ts';
import { createCarryingOut, type Outcome } from './execute.ts';
import { createAftermath, type Recovered } from './recover.ts';
import { createSteps, type Progress, type RunnerServices } from './services.ts';
import { createUndoing, type Undoing } from './undo.ts';

export interface Runner {
  /** Reads run at once; changes answer with a preview and a stored confirmation. Never throws. */
  start(request: Request, following?: Following): Promise<Answer>;
  /**
   * The button (and the typed name). Runs the change at most once, whatever is pressed, repeated or restarted. Never throws.
   * `claimed` is called once it is certain that this press is the one that counts.
   */
  confirm(
    id: string,
    pressed: { actor: Actor; reader: Reader; typedName?: string; claimed?: () => Promise<void> },
    progress?: Progress,
  ): Promise<Outcome>;
  /** Whoever has to know how a confirmation stands was told: until this is called, `recover` says it once more. */
  told(id: string): Promise<void>;
  cancel(id: string, actor: Actor): Promise<Message>;
  /** What the operation of a confirmation is, when the confirmation exists. */
  read(id: string): Promise<{ confirmation: Confirmation; operation: AnyOperation } | undefined>;
  suggest(request: Request, argument: string, query: string): Promise<Option[]>;
  /** Ends what a process that died had begun, or had not told. */
  recover(): Promise<Recovered[]>;
  /** What waited too long: each is handed out once, and again by `recover` unless `told` is called. */
  expire(): Promise<Confirmation[]>;
  /** What waits for its form once more: the preview as it is now, for the view in which the name is typed. */
  preview(id: string, actor: Actor): Promise<Message | undefined>;
  approving: Approving;
  undoing: Undoing;
}

export function createRunner(services: RunnerServices): Runner {
  const { store, policy, log, now } = services;
  const steps = createSteps(services);
  const approving = createApproving({ store, steps, policy });
  const { look, recover } = createAftermath({ store, steps, approving, log });
  const { start, preview, suggest } = createAsking({ store, steps, policy, log, now });
  const carryOut = createCarryingOut({ store, steps, start, look, log });
  const { confirm, cancel } = createConfirming({ store, steps, carryOut, log });
  const undoing = createUndoing({
    store,
    carryOut: (confirmation, actor, reader) => carryOut(confirmation, actor, reader, { ownUndo: true }),
    log,
    now,
  });

  return {
    start,
    confirm,
    cancel,
    preview,
    suggest,
    recover,
    approving,
    undoing,
    told: steps.told,
    read: steps.known,
    async expire() {
      const expired = await store.confirmations.expire();
      for (const { id } of expired) steps.recorded(id);
      return expired;
    },
  };
}
