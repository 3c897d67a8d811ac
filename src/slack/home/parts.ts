import { BUTTONS, button, commandButton, undoButton } from '../../blocks/buttons.ts';
import { actions, heading, type Message, message } from '../../blocks/message.ts';
import { bold, moment, mrkdwn, user } from '../../blocks/mrkdwn.ts';
import { runButton } from '../../changes/approval-card.ts';
import { isRunnable } from '../../changes/change.ts';
import { approvalRuleOf } from '../../changes/permission.ts';
import type { Services } from '../../changes/services.ts';
import { plannedRows, undoWordsOf, wordsOf } from '../../changes/words.ts';
import { auditList } from '../../operations/audit/list.ts';
import type { Actor, Reader } from '../../operations/context.ts';
import { troubleNow, troubleParts } from '../../operations/now.ts';
import type { AnyOperation } from '../../operations/operation.ts';
import { listReports, subscriptionRow } from '../../operations/report/list.ts';
import type { Names } from '../../policy/names.ts';
import { mayApprove } from '../../policy/policy.ts';
import type { Confirmation } from '../../store/confirmations.ts';
import type { Bot } from '../services.ts';

/** A Home tab has room for 100 blocks. */
const MOST_WAITING = 5;

const may = ({ policy }: Bot, actor: Actor, operation: AnyOperation): boolean =>
  policy.decide(operation, actor, { channelId: actor.id, external: false }).allowed;

export async function waitingPart(services: Bot, actor: Actor): Promise<Message | undefined> {
  const { toApprove, toRun } = await waitingFor(services, actor);
  if (toApprove.length + toRun.length === 0) return undefined;
  const title = (one: Confirmation) => bold(wordsOf(services, one).title);
  const left = Math.max(toApprove.length, toRun.length) - MOST_WAITING;
  return message(
    heading('Waiting for you'),
    ...toRun
      .slice(0, MOST_WAITING)
      .flatMap((one) => [
        mrkdwn`${title(one)}\nApproved. ${one.due === undefined ? 'Run' : 'Plan'} it by ${moment(one.expiresAt)}.`,
        actions(runButton(one, 'runBeside')),
      ]),
    ...toApprove
      .slice(0, MOST_WAITING)
      .flatMap((one) => [
        mrkdwn`${title(one)}\n${user(one.actor)} asks for your approval by ${moment(one.expiresAt)}.`,
        actions(button(BUTTONS.lookCloser, one.id)),
      ]),
    left > 0 && actions(commandButton('All that waits', 'approval list')),
  );
}

/** The person’s planned changes; everybody’s if they may read the audit. */
export async function plannedPart(services: Bot, actor: Actor): Promise<Message | undefined> {
  const isAll = may(services, actor, auditList);
  const planned = (await services.store.confirmations.planned(50)).filter((one) => isAll || one.actor === actor.id);
  if (planned.length === 0) return undefined;
  return message(
    heading('Planned'),
    ...plannedRows(services, planned.slice(0, MOST_WAITING), actor),
    planned.length > MOST_WAITING && actions(commandButton('All that is planned', 'approval list')),
  );
}

/** The person’s temporary changes; everybody’s if they may read the audit. */
export async function temporaryPart(services: Bot, actor: Actor): Promise<Message | undefined> {
  const timed = await services.store.reversals.timed(5, may(services, actor, auditList) ? undefined : actor);
  const found = await Promise.all(
    timed.map(async ({ confirmation: id, dueAt, given }) => ({
      ...{ dueAt, given },
      change: await services.store.confirmations.read(id),
    })),
  );
  const shown = found.flatMap(({ dueAt, given, change }) =>
    dueAt !== undefined && change !== undefined ? [{ dueAt, given, change }] : [],
  );
  if (shown.length === 0) return undefined;
  return message(
    heading('Temporary now'),
    ...shown.flatMap(({ dueAt, given, change }) => [
      mrkdwn`${user(change.actor)} ${wordsOf(services, change).done}\nSwitches back ${moment(dueAt)}.`,
      actions(undoButton(BUTTONS.putBackNow, undoWordsOf(services, change, given).title, change.id)),
    ]),
  );
}

export async function troublePart(services: Bot, actor: Actor): Promise<Message | undefined> {
  const place = { channelId: actor.id, external: false };
  const mayNow = (name: string, names: Names) => services.policy.decide({ name }, actor, place, names).allowed;
  const told = await troubleNow(services, mayNow);
  return told.length === 0 ? undefined : message(heading('Open incidents'), ...troubleParts(told));
}

export async function subscriptionsPart(services: Bot, actor: Actor, reader: Reader): Promise<Message | undefined> {
  if (!may(services, actor, listReports)) return undefined;
  const all = await services.reports.subscriptions();
  if (all.length === 0) return undefined;
  const shown = all.slice(0, 8);
  return message(
    heading('Subscriptions'),
    ...shown.map((one) => subscriptionRow(one, reader)),
    all.length > shown.length && actions(commandButton(`All ${all.length} subscriptions`, 'report list')),
  );
}

interface WaitingFor {
  /** Changes of others that this person may still decide. */
  toApprove: Confirmation[];
  /** This person’s approved changes. */
  toRun: Confirmation[];
}

/** Oldest first. */
async function waitingFor(services: Services, actor: Actor): Promise<WaitingFor> {
  const { approvals } = services.store;
  const [waiting, decided] = await Promise.all([approvals.waiting(20), approvals.decided(actor, 20)]);
  const decidable = waiting.filter((one) => {
    const rule = approvalRuleOf(services, one);
    return rule !== undefined && mayApprove(rule, actor, { id: one.actor }).allowed;
  });
  const verdicts = await Promise.all(decidable.map(({ id }) => approvals.verdicts(id)));
  return {
    toApprove: decidable.filter((_, at) => !verdicts[at]!.some(({ approver }) => approver === actor.id)),
    toRun: decided.filter(({ state }) => isRunnable(state)),
  };
}
