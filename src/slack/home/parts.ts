import { BUTTONS, button, commandButton, undoButton } from '../../blocks/buttons.ts';
import { actions, heading, type Message, message } from '../../blocks/message.ts';
import { bold, moment, mrkdwn, user } from '../../blocks/mrkdwn.ts';
import { runButton } from '../../changes/approval-card.ts';
import { isRunnable } from '../../changes/change.ts';
import { mayDecide, plannedRows, waitingApprovals } from '../../changes/context.ts';
import { undoWordsOf, wordsOf } from '../../changes/words.ts';
import { auditList } from '../../operations/audit/list.ts';
import type { Actor, Reader } from '../../operations/context.ts';
import { doubtLine, doubtsNow, troubleNow, troubleParts } from '../../operations/now.ts';
import type { AnyOperation } from '../../operations/operation.ts';
import { listReports, subscriptionRow } from '../../operations/report/list.ts';
import type { Names } from '../../policy/names.ts';
import type { Bot } from '../services.ts';

/** A Home tab has room for 100 blocks. */
const MOST_WAITING = 5;

const may = ({ policy }: Bot, actor: Actor, operation: AnyOperation): boolean =>
  policy.decide(operation, actor, { channelId: actor.id, external: false }).allowed;

export async function waitingPart(services: Bot, actor: Actor): Promise<Message | undefined> {
  const [waiting, decided] = await Promise.all([
    waitingApprovals(services, (one) => mayDecide(services, actor, one)),
    services.store.approvals.decided(actor, 10),
  ]);
  const toApprove = waiting.filter(({ approvedBy }) => !approvedBy.includes(actor.id));
  const toRun = decided.filter(({ state }) => isRunnable(state));
  if (toApprove.length + toRun.length === 0) return undefined;
  const left = Math.max(toApprove.length, toRun.length) - MOST_WAITING;
  return message(
    heading('Waiting for you'),
    ...toRun
      .slice(0, MOST_WAITING)
      .flatMap((one) => [
        mrkdwn`${bold(wordsOf(services, one).title)}\nApproved. ${one.due === undefined ? 'Run' : 'Plan'} it by ${moment(one.expiresAt)}.`,
        actions(runButton(one, 'runBeside')),
      ]),
    ...toApprove
      .slice(0, MOST_WAITING)
      .flatMap((one) => [
        mrkdwn`${bold(one.title)}\n${user(one.actor)} asks for your approval by ${moment(one.until)}.`,
        actions(button(BUTTONS.lookCloser, one.id)),
      ]),
    left > 0 && actions(commandButton('All that waits', 'approval list')),
  );
}

/** As `approval list` has them. */
export async function plannedPart(services: Bot, actor: Actor): Promise<Message | undefined> {
  const rows = await plannedRows(services, { actor, place: { channelId: actor.id, external: false } });
  if (rows.length === 0) return undefined;
  const more = rows.length > MOST_WAITING && actions(commandButton('All that is planned', 'approval list'));
  return message(heading('Planned'), ...rows.slice(0, MOST_WAITING), more);
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
  const doubts = (await doubtsNow(services, mayNow, told)).filter(({ since }) => since !== undefined).slice(0, 5);
  if (told.length + doubts.length === 0) return undefined;
  return message(heading('Trouble now'), ...troubleParts(told), ...doubts.map(doubtLine));
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
