import { type Message, message, note, section } from '../blocks/message.ts';
import { code, join, moment, mrkdwn, user, type Words, written } from '../blocks/mrkdwn.ts';
import type { Actor } from '../operations/context.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { type ApprovalRule, mayApprove } from '../policy/policy.ts';
import { problemOf } from '../problem.ts';
import type { Verdict } from '../store/approvals.ts';
import { withinCap } from '../store/caps.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { cardOf, changesSection, headOf, needsOf, standing } from './approval-card.ts';
import { isRunnable } from './change.ts';
import { findConfirmation, operationNamed, placeOf } from './context.ts';
import { approvalRuleOf, asTheyAre } from './permission.ts';
import { record } from './record.ts';
import type { ChangeServices } from './services.ts';
import { wordsOf } from './words.ts';

/** The answer to a step of an approval. Each message in it is named after its reader. */
export type Approved =
  | { kind: 'refused'; message: Message }
  /** It waits: the card is for the channel and for the approvers. */
  | {
      kind: 'waiting';
      confirmation: Confirmation;
      card: Message;
      approvers: readonly string[];
      message: Message;
      breakGlass: boolean;
    }
  /** It was decided: the card is brought up to date, and the requester is notified, with a Run button where it can be run. */
  | {
      kind: 'decided';
      confirmation: Confirmation;
      card: Message;
      message: Message;
      requester: Message;
      runnable: boolean;
    }
  /** Let through without approval: announced in the channel that the policy names, before anything is let through. */
  | {
      kind: 'glass';
      confirmation: Confirmation;
      card: Message;
      announcement: Message;
      channel: string;
      message: Message;
    };

type Services = Pick<
  ChangeServices,
  'operations' | 'policy' | 'store' | 'unnotified' | 'actorNow' | 'seePlace' | 'now'
>;
type Refused = Extract<Approved, { kind: 'refused' }>;

const refused = (...parts: Words[]): Refused => ({ kind: 'refused', message: message(...parts) });
const UNKNOWN = refused('This is not known any more.', 'Repeat the command.');

/** It does not wait any more: how it stands is said instead. */
async function overtaken(services: Services, id: string, { id: presser }: Actor): Promise<Refused> {
  const present = await services.store.confirmations.read(id);
  if (present === undefined) return UNKNOWN;
  return { kind: 'refused', message: await standing(services, present, presser) };
}

/** The policy wants a reason before anybody is asked. */
export async function needsReason(services: Services, id: string): Promise<boolean> {
  const confirmation = await services.store.confirmations.read(id);
  return confirmation !== undefined && approvalRuleOf(services, confirmation)?.reason === 'required';
}

/** The requester asks others for their approval. */
export async function requestApproval(services: Services, id: string, actor: Actor, reason: string): Promise<Approved> {
  const found = await findConfirmation(services, id);
  if (found === undefined) return UNKNOWN;
  const { confirmation: drafted, operation } = found;
  const rule = approvalRuleOf(services, drafted);
  const why = reason.trim();
  if (rule?.reason === 'required' && why === '') return refused('A reason is needed: the approvers read it.');
  const tooMany = await capOf(services, actor);
  if (tooMany !== undefined) return tooMany;
  const lifetime = drafted.approval?.lifetime ?? rule?.expires ?? 0;
  const waiting = await services.store.approvals.request(id, actor, why, lifetime);
  if (waiting === undefined) return overtaken(services, id, actor);
  await recordStep(services, waiting, operation, { actor, outcome: 'waiting', detail: why, rule: rule?.rule });
  services.unnotified.add(id);
  return toBePosted(services, waiting);
}

async function capOf({ store }: Services, actor: Actor): Promise<Refused | undefined> {
  try {
    withinCap('approvals', await store.confirmations.waiting(actor));
    return undefined;
  } catch (error) {
    return { kind: 'refused', message: problemOf(error).message };
  }
}

async function toBePosted(services: Services, waiting: Confirmation): Promise<Approved> {
  const rule = approvalRuleOf(services, waiting);
  const needs = needsOf(rule, waiting.actor, await services.store.approvals.verdicts(waiting.id));
  return {
    kind: 'waiting',
    confirmation: waiting,
    card: await cardOf(services, waiting),
    approvers: (rule?.approvers ?? []).filter((approver) => approver !== waiting.actor),
    breakGlass: rule?.breakGlass?.id !== undefined,
    message: message(
      mrkdwn`⏳ ${what(services, waiting)}: needs ${written(needs)}. You are told as soon as it is decided.`,
    ),
  };
}

/** The reason that this person cannot decide it; undefined: they can. */
export async function refusalOf(services: Services, id: string, approver: Actor): Promise<Message | undefined> {
  const found = await decidable(services, id, approver);
  return found.kind === 'refused' ? found.message : undefined;
}

interface Decidable {
  kind: 'decidable';
  confirmation: Confirmation;
  operation: AnyOperation;
  rule: ApprovalRule;
}

/** The waiting change, for one who may decide it; else a refusal. */
async function decidable(services: Services, id: string, approver: Actor): Promise<Decidable | Refused> {
  const found = await findConfirmation(services, id);
  if (found === undefined) return UNKNOWN;
  if (found.confirmation.state !== 'waiting') return overtaken(services, id, approver);
  const { confirmation, operation } = found;
  const rule = approvalRuleOf(services, confirmation);
  if (rule === undefined)
    return refused('The policy asks nobody to approve this any more.', 'Whoever asked can repeat the command.');
  const right = mayApprove(rule, await services.actorNow(approver), { id: confirmation.actor });
  if (right.allowed) return { kind: 'decidable', confirmation, operation, rule };
  const detail = `may not approve: ${right.rule}`;
  await recordStep(services, confirmation, operation, {
    actor: approver,
    outcome: 'forbidden',
    detail,
    rule: rule.rule,
  });
  return refused(`You cannot decide this: ${right.rule}.`);
}

/** An approver says yes or no. */
export async function vote(
  services: Services,
  id: string,
  approver: Actor,
  verdict: Verdict['verdict'],
  reason: string,
): Promise<Approved> {
  const { approvals, confirmations } = services.store;
  const found = await decidable(services, id, approver);
  if (found.kind !== 'decidable') return found;
  const { confirmation, operation, rule } = found;
  const lost = verdict === 'approved' ? await lostRight(services, confirmation) : undefined;
  if (lost !== undefined) return refused(lost, 'Nothing was approved. You can reject it.');
  const why = reason.trim();
  await approvals.hold(id);
  const isNew = await approvals.note(id, approver, verdict, why);
  if (!isNew) {
    const noted = (await approvals.verdicts(id)).find((one) => one.approver === approver.id);
    // The same vote again: its process may have died after it was noted, and it goes on here.
    if (noted === undefined) return overtaken(services, id, approver);
    if (noted.verdict !== verdict) return refused('You have decided this already.');
  }
  const step = { actor: approver, outcome: verdict, detail: why, rule: rule.rule };
  if (isNew) await recordStep(services, confirmation, operation, step);
  else await complete(services, confirmation);
  const decided = await conclude(services, confirmation, rule);
  services.unnotified.add(id);
  if (decided !== undefined) return decided;
  if (!isNew) return refused('You have decided this already.');
  const present = (await confirmations.read(id)) ?? confirmation;
  const needs = needsOf(rule, present.actor, await approvals.verdicts(id));
  return {
    kind: 'waiting',
    confirmation: present,
    card: await cardOf(services, present),
    approvers: [],
    breakGlass: false,
    message: message(mrkdwn`Noted: ${what(services, present)}. It needs ${written(needs)}.`),
  };
}

/** The requester may not run it any more, as the policy and Slack are now; undefined: they may. */
async function lostRight(services: Services, confirmation: Confirmation): Promise<Words | undefined> {
  const { operation, target, actor: id, team: teamId, approval } = confirmation;
  const requester: Actor = { id, teamId, kind: approval?.kind ?? 'member' };
  const { actor, place } = await asTheyAre(services, { actor: requester, place: placeOf(confirmation) });
  const { allowed, rule } = services.policy.decide({ name: operation }, actor, place, approval?.names);
  if (allowed) return undefined;
  return mrkdwn`${user(id)} may not run ${code(operation)} on ${code(target)} any more: ${rule}.`;
}

/** Decides by the votes so far. Undefined: it takes more, or it is decided already. */
async function conclude(
  services: Services,
  { id, approval }: Confirmation,
  rule: ApprovalRule | undefined,
): Promise<Approved | undefined> {
  const { approvals } = services.store;
  const no = (await approvals.verdicts(id)).find(({ verdict }) => verdict === 'rejected');
  const why = no?.reason === undefined ? '' : `: ${no.reason}`;
  const decided =
    no === undefined
      ? await approvals.approve(id, rule?.count ?? 0, rule?.expires ?? approval?.lifetime ?? 0)
      : await approvals.reject(id, `${no.approver} rejected it${why}`);
  return decided === undefined ? undefined : decision(services, decided);
}

/** Takes back every yes of somebody who has left to what still waits. Returns what they said it to. */
export async function retractVotes(services: Services, approver: string): Promise<Confirmation[]> {
  const retracted = await services.store.approvals.retract(approver);
  for (const confirmation of retracted) {
    const operation = operationNamed(services, confirmation.operation);
    const step = {
      actor: { id: approver, teamId: confirmation.team },
      outcome: 'retracted',
      detail: '',
      rule: undefined,
    };
    if (operation !== undefined) await recordStep(services, confirmation, operation, step);
  }
  return retracted;
}

/** A decision in words, for the one who decided and the one who asked. */
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
    card: await cardOf(services, confirmation),
    message: message(
      runnable
        ? mrkdwn`Approved: ${title}. ${user(confirmation.actor)} can run it now.`
        : mrkdwn`Rejected: ${title}. Nothing was done.`,
    ),
    requester: runnable
      ? message(
          confirmation.glassBroken === true
            ? mrkdwn`Let through without approval: ${title}.`
            : mrkdwn`${who} approved: ${title}. You can run it until ${moment(confirmation.expiresAt)}: what is there then is read again.`,
        )
      : message(mrkdwn`${who} rejected: ${title}. Nothing was done.`, no?.reason !== undefined && note(no.reason)),
    runnable,
  };
}

/** The requester lets it through without approval. `announce` comes first: where it fails, nothing is let through. */
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
  if (why === '') return refused('A reason is needed: everybody reads it.');
  if (drafted.state !== 'drafted' && drafted.state !== 'waiting') return overtaken(services, id, actor);
  const lost = await lostRight(services, drafted);
  if (lost !== undefined) return refused(lost);
  const announcement = message(
    headOf({ ...drafted, glassBroken: true }, what(services, drafted)),
    changesSection(drafted),
    section(mrkdwn`*Why:* ${why}`),
    note(mrkdwn`${code(rule.rule)}`),
  );
  await announce(channel, announcement);
  const open = await services.store.approvals.breakGlass(id, actor, why);
  if (open === undefined) return overtaken(services, id, actor);
  await recordStep(services, open, operation, { actor, outcome: 'break-glass', detail: why, rule: rule.rule });
  services.unnotified.add(id);
  return {
    kind: 'glass',
    confirmation: open,
    card: await cardOf(services, open),
    announcement,
    channel,
    message: message(
      mrkdwn`You can run it now, without approval: ${what(services, open)}. ${written(`<#${channel}>`)} reads why.`,
    ),
  };
}

/** Goes on with an approval that a stopped process left, and decides it by the votes so far. */
export async function resume(services: Services, confirmation: Confirmation): Promise<Approved> {
  await complete(services, confirmation);
  services.unnotified.add(confirmation.id);
  if (confirmation.state !== 'waiting') return decision(services, confirmation);
  const rule = approvalRuleOf(services, confirmation);
  return (await conclude(services, confirmation, rule)) ?? toBePosted(services, confirmation);
}

/** Writes the entries of the audit that a stopped process left out. */
async function complete(services: Services, confirmation: Confirmation): Promise<void> {
  const { id, actor, team, reason = '', glassBroken } = confirmation;
  const { approvals, audit } = services.store;
  const operation = operationNamed(services, confirmation.operation);
  if (operation === undefined) return;
  const rule = approvalRuleOf(services, confirmation)?.rule;
  const asked = { by: actor, outcome: glassBroken === true ? 'break-glass' : 'waiting', why: reason };
  const votes = (await approvals.verdicts(id)).map(({ approver, verdict, reason: why = '' }) => ({
    by: approver,
    outcome: verdict as string,
    why,
  }));
  for (const { by, outcome, why } of glassBroken === true ? [...votes, asked] : [asked, ...votes]) {
    if (await audit.knows(id, outcome, by)) continue;
    const step = { actor: { id: by, teamId: team }, outcome, detail: why, rule };
    await recordStep(services, confirmation, operation, step);
  }
}

/** One entry of the audit about an approval. */
async function recordStep(
  services: Services,
  confirmation: Confirmation,
  operation: AnyOperation,
  step: { actor: { id: string; teamId: string }; outcome: string; detail: string; rule: string | undefined },
): Promise<void> {
  const { channel, target, given, preview, id } = confirmation;
  await record(services, { operation, channel, target, given, ...step, preview, confirmation: id });
}

/** The change in words. */
const what = (services: Services, confirmation: Confirmation) => wordsOf(services, confirmation).title;
