import { BUTTONS, button, commandButton, undoButton } from '../../blocks/buttons.ts';
import { actions, heading, type Message, message, note, sectionWith } from '../../blocks/message.ts';
import { bold, code, moment, mrkdwn, user } from '../../blocks/mrkdwn.ts';
import { mayDecide, ownRows, plannedRows, waitingApprovals } from '../../changes/context.ts';
import { undoWordsOf, wordsOf } from '../../changes/words.ts';
import { auditList } from '../../operations/audit/list.ts';
import type { Actor, Reader, SeenPlace } from '../../operations/context.ts';
import { menuParts } from '../../operations/help.ts';
import { doubtLine, doubtsNow, troubleNow, troubleParts } from '../../operations/now.ts';
import type { AnyOperation } from '../../operations/operation.ts';
import { listReports, subscriptionRow } from '../../operations/report/list.ts';
import { slash } from '../../own-name.ts';
import type { Names } from '../../policy/names.ts';
import { explain } from '../conversation.ts';
import { keepUntilTaken } from '../later.ts';
import { whoIs } from '../people.ts';
import type { Bot, SlackUser } from '../services.ts';

export const HOME = 'home';

export async function showHome(services: Bot, person: SlackUser): Promise<void> {
  const { blocks } = await homeFor(services, person).catch((error: unknown) => explain(services, error));
  const { userId, teamId } = person;
  await services.outgoing
    .publishHome(userId, blocks)
    .catch((error: unknown) => keepUntilTaken(services, error, { kind: HOME, body: { userId, teamId } }));
}

export function permittedTo(
  { operations, policy }: Bot,
  actor: Actor,
  place: SeenPlace = { channelId: actor.id, external: false },
): AnyOperation[] {
  return operations.filter((one) => policy.decide(one, actor, place).allowed);
}

async function homeFor(services: Bot, person: SlackUser): Promise<Message> {
  const { actor, reader } = await whoIs(services, person);
  const permitted = permittedTo(services, actor);
  if (permitted.length === 0) return message('You may not use Edgewise in this workspace.');
  const open = await Promise.all([
    waitingPart(services, actor),
    plannedPart(services, actor),
    temporaryPart(services, actor),
    troublePart(services, actor),
  ]);
  const subscriptions = await subscriptionsPart(services, actor, reader);
  const isCalm = open.every((part) => part === undefined);
  return message(
    ...open,
    isCalm && note('All quiet: nothing waits for you, no change is planned or temporary, no incident is open.'),
    heading('Commands'),
    mrkdwn`*Edgewise* operates your edge platform. Type ${code(slash())} in any channel, or start here.`,
    ...menuParts(permitted),
    subscriptions,
  );
}

/** A Home tab has room for 100 blocks. */
const MOST_WAITING = 5;

const may = ({ policy }: Bot, actor: Actor, operation: AnyOperation): boolean =>
  policy.decide(operation, actor, { channelId: actor.id, external: false }).allowed;

async function waitingPart(services: Bot, actor: Actor): Promise<Message | undefined> {
  const [waiting, { runnable }] = await Promise.all([
    waitingApprovals(services, (one) => mayDecide(services, actor, one)),
    ownRows(services, actor),
  ]);
  const toApprove = waiting.filter(({ approvedBy }) => !approvedBy.includes(actor.id));
  if (toApprove.length + runnable.length === 0) return undefined;
  const left = Math.max(toApprove.length, runnable.length) - MOST_WAITING;
  return message(
    heading('Waiting for you'),
    ...runnable.slice(0, MOST_WAITING),
    ...toApprove
      .slice(0, MOST_WAITING)
      .map((one) =>
        sectionWith(
          mrkdwn`${bold(one.title)}\n${user(one.actor)} asks for your approval by ${moment(one.until)}.`,
          button(BUTTONS.lookCloser, one.id),
        ),
      ),
    left > 0 && actions(commandButton('All that waits', 'approval list')),
  );
}

/** As `approval list` has them. */
async function plannedPart(services: Bot, actor: Actor): Promise<Message | undefined> {
  const rows = await plannedRows(services, { actor, place: { channelId: actor.id, external: false } });
  if (rows.length === 0) return undefined;
  const more = rows.length > MOST_WAITING && actions(commandButton('All that is planned', 'approval list'));
  return message(heading('Planned'), ...rows.slice(0, MOST_WAITING), more);
}

/** The person’s temporary changes; everybody’s if they may read the audit. */
async function temporaryPart(services: Bot, actor: Actor): Promise<Message | undefined> {
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

async function subscriptionsPart(services: Bot, actor: Actor, reader: Reader): Promise<Message | undefined> {
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
