import { type Message, message, note, section } from '../blocks/message.ts';
import { code, join, moment, mrkdwn, user, type Words, written } from '../blocks/mrkdwn.ts';
import { noted } from '../interaction.ts';
import type { Actor } from '../operations/context.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { ableToApprove, mayApprove } from '../policy/policy.ts';
import { type ApprovalStep, GLASS_A_DAY, type Verdict } from '../store/approvals.ts';
import { withinCap } from '../store/caps.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { DAY } from '../time.ts';
import { changesSection, headOf, needsOf, standing } from './approval-card.ts';
import { isRunnable } from './change.ts';
import { findConfirmation } from './context.ts';
import { approvalRuleOf, refusalNow, spokenOf } from './permission.ts';
import { entryOf, record, recordingOf } from './record.ts';
import type { Services } from './services.ts';
import { wordsOf } from './words.ts';

/** The result of a step of an approval. `message` is for whoever took the step, `requester` for the requester. */
export type Approved =
  | { kind: 'refused'; message: Message }
  /** Still waiting: the card is for the channel and the approvers. */
  | {
      kind: 'waiting';
      confirmation: Confirmation;
      approvers: readonly string[];
      message: Message;
      breakGlass: boolean;
    }
  /** Decided: the card is redrawn, and the requester is told, with a Run button if they can run it. */
  | { kind: 'decided'; confirmation: Confirmation; message: Message; requester: Message }
  /** Let through without approval, after that was announced. */
  | { kind: 'glass'; confirmation: Confirmation; message: Message };

type Refused = Extract<Approved, { kind: 'refused' }>;

const refused = (...parts: Words[]): Refused => ({ kind: 'refused', message: message(...parts) });
const UNKNOWN = refused('I no longer have this request.', 'Repeat the command.');

/** It is not waiting any more. The answer says how it stands. */
async function overtaken(services: Services, id: string, { id: presser }: Actor): Promise<Refused> {
  const present = await services.store.confirmations.read(id);
  if (present === undefined) return UNKNOWN;
  return { kind: 'refused', message: await standing(services, present, presser) };
}

export async function needsReason(services: Services, id: string): Promise<boolean> {
  const confirmation = await services.store.confirmations.read(id);
  return confirmation !== undefined && approvalRuleOf(services, confirmation)?.reason === 'required';
}

export async function requestApproval(services: Services, id: string, actor: Actor, reason: string): Promise<Approved> {
  const found = await findConfirmation(services, id);
  if (found === undefined) return UNKNOWN;
  const { confirmation: drafted, operation } = found;
  const rule = approvalRuleOf(services, drafted);
  const why = reason.trim();
  if (rule?.reason === 'required' && why === '') return refused('Give a reason: the approvers read it.');
  withinCap('approvals', await services.store.confirmations.waiting(actor));
  const lifetime = drafted.approval?.lifetime ?? rule?.expires ?? 0;
  const lost = await lostRight(services, drafted);
  if (lost !== undefined) return refused(lost, 'Nobody was asked.');
  const step = stepOf(drafted, operation, { actor, outcome: 'waiting', detail: why, rule: rule?.rule });
  const waiting = await services.store.approvals.request(step, lifetime);
  if (waiting === undefined) return overtaken(services, id, actor);
  noted({ command: operation.name, outcome: 'waiting' });
  services.unnotified.add(id);
  return toBePosted(services, waiting);
}

async function toBePosted(services: Services, waiting: Confirmation): Promise<Approved> {
  const rule = approvalRuleOf(services, waiting);
  const needs = needsOf(rule, waiting.actor, await services.store.approvals.verdicts(waiting.id));
  return {
    kind: 'waiting',
    confirmation: waiting,
    // Only this many get a direct message. The others read the channel.
    approvers: rule === undefined ? [] : await ableToApprove(rule, { id: waiting.actor }, services.described, 10),
    breakGlass: rule?.breakGlass?.id !== undefined,
    // Nobody can bring an ephemeral message up to date.
    message: message(
      mrkdwn`⏳ ${what(services, waiting)}: needs ${written(needs)}, as of ${moment(services.now(), '{time}')}. The decision comes as a direct message.`,
    ),
  };
}

/** Why this person may not decide it; undefined: they may. */
export async function refusalOf(services: Services, id: string, approver: Actor): Promise<Message | undefined> {
  const found = await decidable(services, id, approver);
  return found.kind === 'refused' ? found.message : undefined;
}

/** The waiting change if the person may decide it, else a refusal. */
async function decidable(services: Services, id: string, approver: Actor) {
  const found = await findConfirmation(services, id);
  if (found === undefined) return UNKNOWN;
  if (found.confirmation.state !== 'waiting') return overtaken(services, id, approver);
  const { confirmation, operation } = found;
  const rule = approvalRuleOf(services, confirmation);
  if (rule === undefined) return refused('This no longer needs approval.', 'Whoever asked can repeat the command.');
  const right = mayApprove(rule, await services.actorNow(approver), { id: confirmation.actor });
  if (right.allowed) return { kind: 'decidable' as const, confirmation, operation, rule };
  const detail = `may not approve: ${right.rule}`;
  const tried = { actor: approver, outcome: 'forbidden', detail, rule: rule.rule };
  await record(services, recordingOf(operation, confirmation, tried));
  return refused(`You cannot decide this: ${right.rule}.`);
}

export async function vote(
  services: Services,
  id: string,
  approver: Actor,
  verdict: Verdict['verdict'],
  reason: string,
): Promise<Approved> {
  const found = await decidable(services, id, approver);
  if (found.kind !== 'decidable') return found;
  const { confirmation, operation, rule } = found;
  const lost = verdict === 'approved' ? await lostRight(services, confirmation) : undefined;
  if (lost !== undefined) return refused(lost, 'I did not count your approval. You can still reject it.');
  const { approvals } = services.store;
  const why = reason.trim();
  const step = stepOf(confirmation, operation, { actor: approver, outcome: verdict, detail: why, rule: rule.rule });
  const outcome = `${approver.id} rejected it${why === '' ? '' : `: ${why}`}`;
  const isNew = await approvals.vote(step, { count: rule.count, lifetime: rule.expires, outcome });
  const present = (await services.store.confirmations.read(id)) ?? confirmation;
  const verdicts = await approvals.verdicts(id);
  if (!isNew) {
    const isDecided = present.state !== 'waiting' || !verdicts.some((one) => one.approver === approver.id);
    return isDecided ? overtaken(services, id, approver) : refused('You have already decided this.');
  }
  noted({ command: operation.name, outcome: verdict });
  services.unnotified.add(id);
  if (present.state !== 'waiting') return decision(services, present);
  const needs = needsOf(rule, present.actor, verdicts);
  return {
    kind: 'waiting',
    confirmation: present,
    approvers: [],
    breakGlass: false,
    message: message(
      mrkdwn`Noted: ${what(services, present)}. As of ${moment(services.now(), '{time}')} it still needs ${written(needs)}.`,
    ),
  };
}

/** Why the requester has lost the right to run it; undefined: they still have it. */
async function lostRight(services: Services, confirmation: Confirmation): Promise<Words | undefined> {
  const { operation, target, actor } = confirmation;
  const rule = await refusalNow(services, spokenOf(confirmation));
  return rule === undefined
    ? undefined
    : mrkdwn`${user(actor)} may not run ${code(operation)} on ${code(target)} any more: ${rule}.`;
}

/** A decision in words, for the approver and the requester. */
async function decision(services: Services, confirmation: Confirmation): Promise<Approved> {
  const verdicts = await services.store.approvals.verdicts(confirmation.id);
  const no = verdicts.find(({ verdict }) => verdict === 'rejected');
  const runnable = isRunnable(confirmation.state);
  const title = what(services, confirmation);
  const deciders = (no === undefined ? verdicts : [no]).map(({ approver }) => user(approver));
  const who = deciders.length === 0 ? 'Nobody' : join(deciders, ' and ');
  return {
    kind: 'decided',
    confirmation,
    message: message(
      runnable
        ? mrkdwn`Approved: ${title}. I’ve told ${user(confirmation.actor)}.`
        : mrkdwn`Rejected: ${title}. Nothing was done.`,
    ),
    requester: runnable
      ? message(
          confirmation.glassBroken === true
            ? mrkdwn`Going ahead without approval: ${title}.`
            : mrkdwn`${who} approved: ${title}. ${confirmation.due === undefined ? 'Run' : 'Plan'} it by ${moment(confirmation.expiresAt)}; I check the state again first.`,
        )
      : message(mrkdwn`${who} rejected: ${title}. Nothing was done.`, no?.reason !== undefined && note(no.reason)),
  };
}

/** Lets a change through without approval. `announce` comes first: if it fails, nothing is let through. */
export async function breakGlass(
  services: Services,
  id: string,
  actor: Actor,
  reason: string,
  announce: (channel: string, text: Message) => Promise<void>,
): Promise<Approved> {
  const found = await findConfirmation(services, id);
  if (found === undefined || found.confirmation.actor !== actor.id) return UNKNOWN;
  const { confirmation: drafted, operation } = found;
  const rule = approvalRuleOf(services, drafted);
  const channel = rule?.breakGlass?.id;
  if (rule?.breakGlass === undefined || channel === undefined) {
    return refused(`The policy lets nobody do this without approval (${rule?.rule ?? 'no rule'}).`);
  }
  const why = reason.trim();
  if (why === '') return refused('Give a reason: everybody reads it.');
  if (drafted.state !== 'drafted' && drafted.state !== 'waiting') return overtaken(services, id, actor);
  const lost = await lostRight(services, drafted);
  if (lost !== undefined) return refused(lost);
  const unread = await refusalNow(services, spokenOf(drafted), channel);
  if (unread !== undefined)
    return refused(
      mrkdwn`I can’t run this without approval: I have to post it in ${written(`<#${channel}>`)}, and ${unread}.`,
      'Ask for approval.',
    );
  const announcement = message(
    headOf({ ...drafted, glassBroken: true }, what(services, drafted)),
    changesSection(drafted),
    section(mrkdwn`*Why:* ${why}`),
    note(mrkdwn`${code(rule.rule)}`),
  );
  const { approvals } = services.store;
  const step = stepOf(drafted, operation, { actor, outcome: 'break-glass', detail: why, rule: rule.rule });
  if (!(await approvals.mayBreakGlass(step))) {
    const before = await services.store.audit.list({
      actor: actor.id,
      outcome: step.outcome,
      since: new Date(services.now().getTime() - DAY),
      limit: GLASS_A_DAY,
    });
    return before.length < GLASS_A_DAY
      ? overtaken(services, id, actor)
      : refused(
          `You wanted ${GLASS_A_DAY} changes without approval in the last day. That’s the limit: I did not allow this one.`,
          'Ask for approval.',
        );
  }
  await announce(channel, announcement);
  const open = await approvals.breakGlass(step);
  if (open === undefined) return overtaken(services, id, actor);
  noted({ command: operation.name, outcome: step.outcome });
  services.unnotified.add(id);
  return {
    kind: 'glass',
    confirmation: open,
    message: message(
      mrkdwn`You can run it now without approval: ${what(services, open)}. Your reason is posted in ${written(`<#${channel}>`)}.`,
    ),
  };
}

/** For a dead process’s approval, of which nobody may have been told yet. */
export async function resume(services: Services, confirmation: Confirmation): Promise<Approved> {
  services.unnotified.add(confirmation.id);
  return confirmation.state === 'waiting' ? toBePosted(services, confirmation) : decision(services, confirmation);
}

/** A step of an approval as an entry of the audit. */
const stepOf = (
  confirmation: Confirmation,
  operation: AnyOperation,
  taken: Parameters<typeof recordingOf>[2],
): ApprovalStep => ({
  ...entryOf(recordingOf(operation, confirmation, taken)),
  confirmation: confirmation.id,
});

const what = (services: Services, confirmation: Confirmation) => wordsOf(services, confirmation).title;
