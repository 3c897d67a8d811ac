import { isDeepStrictEqual } from 'node:util';
import { BUTTONS, button, runButton } from '../blocks/buttons.ts';
import { duration } from '../blocks/format.ts';
import { actions, type Message, message, note, section } from '../blocks/message.ts';
import { bold, inSentence, join, moment, mrkdwn, user, type Words, written } from '../blocks/mrkdwn.ts';
import { givenAs } from '../operations/grammar.ts';
import { troublesOf } from '../operations/now.ts';
import type { State } from '../operations/operation.ts';
import { type ApprovalRule, approvalsFrom } from '../policy/policy.ts';
import type { Verdict } from '../store/approvals.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { parseDuration } from '../time.ts';
import { isRunnable, STATES } from './change.ts';
import { isWatched, operationNamed } from './context.ts';
import { approvalRuleOf } from './permission.ts';
import { changesOf, keysShown } from './preview.ts';
import { auditedOf } from './record.ts';
import type { Services } from './services.ts';
import { stateMessage, wordsOf } from './words.ts';

/** Nobody reads more lines at a glance. *Look closer* has them. */
const MOST_LINES = 6;

/** The card: the one message in the channel about a change that needs approval. */
export async function cardOf(services: Services, confirmation: Confirmation): Promise<Message> {
  const { operation, reason, id, state, approval, due } = confirmation;
  // A change that was not made has no new state to show, and nothing comes after it.
  const mayBe = STATES[state].stage !== 'over' || ['done', 'undone', 'unknown'].includes(state);
  const found = mayBe ? operationNamed(services, operation) : undefined;
  const putBackAfter = found && givenAs(found, 'switch back after', confirmation.given);
  const verdicts = await services.store.approvals.verdicts(id);
  const isWhole = showsAll(services, confirmation);
  const at = await services.store.audit.knows(id, 'done');
  const said = verdicts.map(
    ({ approver, verdict, reason: why }) =>
      mrkdwn`${verdict === 'approved' ? '✅' : '❌'} ${user(approver)} ${verdict}${why === undefined ? '' : `: ${why}`}`,
  );
  return message(
    section(headOf(confirmation, wordsOf(services, confirmation).title)),
    mayBe && changesSection(confirmation),
    state === 'waiting' && (approval?.remarks as Message | undefined),
    reason !== undefined && reason !== '' && section(mrkdwn`*Why:* ${reason}`),
    said.length > 0 && section(join(said, '\n')),
    putBackAfter !== undefined &&
      note(
        mrkdwn`Switches back after ${duration(parseDuration(putBackAfter) ?? 0)}, unless somebody changes it before then.`,
      ),
    due !== undefined && STATES[state].stage === 'asking' && state !== 'planned' && note(mrkdwn`Runs ${moment(due)}.`),
    found !== undefined &&
      isWatched(found, confirmation.given) &&
      note('I’ll watch it for ten minutes and undo it if far more requests fail than in the hours before.'),
    section(
      stateWords(confirmation, needsOf(approvalRuleOf(services, confirmation), confirmation.actor, verdicts), at),
    ),
    state === 'waiting' &&
      !isWhole &&
      note(mrkdwn`To see the whole change and approve it, press ${bold(BUTTONS.lookCloser.label)}.`),
    state === 'waiting' &&
      actions(isWhole && button(BUTTONS.approve, id), button(BUTTONS.reject, id), button(BUTTONS.lookCloser, id)),
    isRunnable(state) && actions(runButton(confirmation, 'runBeside')),
    state === 'planned' && actions(button(BUTTONS.cancel, id)),
    state === 'expired' && actions(button(BUTTONS.askAgain, id)),
  );
}

/** False if the card leaves something out: the audit keeps only a part of an argument, or there are too many lines. */
export function showsAll(services: Services, { operation: name, given, preview }: Confirmation): boolean {
  const operation = operationNamed(services, name);
  const { before, after } = preview as { before?: State; after: State };
  return (
    operation !== undefined &&
    isDeepStrictEqual(auditedOf(operation, given), given) &&
    keysShown(before, after).length <= MOST_LINES
  );
}

/** Whether its zones have an incident that the card does not show. */
export async function hasNews(services: Services, { approval, preview }: Confirmation): Promise<boolean> {
  const { told } = await troublesOf(preview.names ?? {}, { ...services, policy: { may: () => true } });
  const { text = '' } = (approval?.remarks ?? {}) as Partial<Message>;
  const isNew = ({ name, words }: { name?: string | undefined; words: string }) =>
    !text.includes(words.replace(`${name}: `, ''));
  return told.some(({ troubles }) => troubles.some(isNew));
}

export function headOf({ actor, glassBroken, state, due }: Confirmation, what: Words): Words {
  if (glassBroken !== true) return mrkdwn`${user(actor)} wants to ${inSentence(what)}`;
  const { stage } = STATES[state];
  const beforehand = stage === 'asking' && due !== undefined ? 'plans' : 'is doing';
  const afterwards = { done: 'did', undone: 'did', unknown: 'may have done' }[state as string] ?? 'wanted to do';
  return mrkdwn`🚨 ${user(actor)} ${stage === 'over' ? afterwards : beforehand} this *without approval*: ${what}`;
}

/** For whoever pressed a button too late: how the change stands, with a button to go on. */
export async function standing(services: Services, stored: Confirmation, presser: string): Promise<Message> {
  // The expiry may not be stored yet. A planned change has none.
  const isOpen = STATES[stored.state].stage === 'asking' && stored.state !== 'planned';
  const isLate = isOpen && stored.expiresAt <= (await services.store.ledger.now());
  const confirmation: Confirmation = isLate ? { ...stored, state: 'expired' } : stored;
  const { id, state, actor } = confirmation;
  if (actor === presser && STATES[state].stage !== 'asking') return stateMessage(services, confirmation);
  const verdicts = await services.store.approvals.verdicts(id);
  const { due } = confirmation;
  return message(
    mrkdwn`${wordsOf(services, confirmation).title}${due === undefined ? '' : mrkdwn`, ${moment(due)}`}.`,
    section(stateWords(confirmation, needsOf(approvalRuleOf(services, confirmation), actor, verdicts))),
    actor === presser &&
      (isRunnable(state) || state === 'planned') &&
      actions(isRunnable(state) && runButton(confirmation), button(BUTTONS.cancel, id)),
  );
}

/** The fields that change, for people who have not seen the preview. */
export function changesSection({ preview }: Confirmation) {
  return (
    Object.keys(preview.after).length > 0 &&
    section(changesOf(preview.before as State | undefined, preview.after as State, MOST_LINES))
  );
}

/** Whose approval is still missing, in words. */
export function needsOf(rule: ApprovalRule | undefined, requester: string, verdicts: readonly Verdict[]): string {
  if (rule === undefined) return 'no approval any more';
  const yes = verdicts.filter(({ verdict }) => verdict === 'approved').map(({ approver }) => approver);
  const left = rule.count - yes.length;
  const more = yes.length === 0 ? '' : ' more';
  const others = rule.approvers.filter((id) => id !== requester && !yes.includes(id));
  // More people than five are named by their rule.
  const isLong = rule.anybody || others.length === 0 || others.length > 5;
  return approvalsFrom(left, isLong ? rule.who : others, more);
}

function stateWords(confirmation: Confirmation, words: string, at?: Date): Words {
  switch (confirmation.state) {
    case 'drafted':
      return 'Nobody has been asked to approve it yet.';
    case 'waiting':
      return mrkdwn`⏳ Needs ${written(words)}, until ${moment(confirmation.expiresAt)}.`;
    case 'planned':
      return mrkdwn`🕑 Planned for ${moment(confirmation.due!)}. I check everything again then.`;
    case 'asked':
    case 'approved':
    case 'claimed':
    case 'sent':
      return mrkdwn`${confirmation.glassBroken === true ? 'Going ahead without approval.' : mrkdwn`*Approved.*`} ${user(confirmation.actor)} can ${confirmation.due === undefined ? 'run' : 'plan'} it${isRunnable(confirmation.state) ? mrkdwn` until ${moment(confirmation.expiresAt)}` : ''}.`;
    case 'done':
    case 'undone':
      return mrkdwn`✅ Done by ${user(confirmation.actor)}${at === undefined ? '' : mrkdwn`, ${moment(at)}`}.`;
    case 'rejected':
      return '❌ Rejected. Nothing was done.';
    case 'expired':
      return `Expired: ${confirmation.outcome ?? 'not approved in time'}. Nothing was done.`;
    case 'cancelled':
      return 'Cancelled by the requester. Nothing was done.';
    case 'unknown':
      return 'Outcome unknown.';
    default:
      return `Not done: ${confirmation.outcome ?? confirmation.state}.`;
  }
}
