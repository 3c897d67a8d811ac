import { commandButton, formButton } from '../blocks/buttons.ts';
import { LIMITS } from '../blocks/limits.ts';
import { actions, type Message, message, note, type Part } from '../blocks/message.ts';
import { bold, code, mrkdwn, type Words } from '../blocks/mrkdwn.ts';
import { subjectsOf } from '../changes/permission.ts';
import { passes } from '../errors.ts';
import { wordsFor } from '../operations/arguments/resources/look-up.ts';
import { lineOf } from '../operations/grammar.ts';
import type { AnyOperation, MessagePart } from '../operations/operation.ts';
import type { PullZone } from '../platform/resources/pull-zones.ts';
import { explain, tellingProblems } from './conversation.ts';
import { buildShownView, buildWorkingView, titleOf } from './form.ts';
import { permittedTo } from './home/home.ts';
import { type MessageParts, partsOf, type ShownMessage } from './message-parts.ts';
import { whoIs } from './people.ts';
import { isGone } from './refusals.ts';
import type { Bot, Origin } from './services.ts';

export const LOOK_INTO = {
  name: 'Look into this',
  type: 'message',
  callback_id: 'look-into',
  description: 'Hand the hostname, address or file of this message to a command',
} as const;

/** Shows what a message names, with the commands for it. Never throws. */
export async function lookInto(services: Bot, shown: ShownMessage, origin: Origin): Promise<void> {
  const { outgoing, log } = services;
  if (origin.triggerId === undefined) return;
  try {
    const viewId = await outgoing.openView(origin.triggerId, buildWorkingView(LOOK_INTO.name, 'Reading the message …'));
    const found = await findingsIn(services, shown, origin).catch((error: unknown) => explain(services, error));
    const { channelId: channel, threadTs: thread } = origin.place;
    const memory = { operation: '', channel, thread, responseUrl: origin.responseUrl };
    await outgoing.updateView(viewId, buildShownView(LOOK_INTO.name, found, memory));
  } catch (error) {
    log.warn({ err: error }, 'a message could not be looked into');
    if (isGone(error, 'trigger')) await tellingProblems(services, origin, () => Promise.reject(error));
  }
}

async function findingsIn(services: Bot, shown: ShownMessage, origin: Origin): Promise<Message> {
  const [{ actor }, place] = await Promise.all([whoIs(services, origin), services.seePlace(origin.place)]);
  const permitted = permittedTo(services, actor, place);
  if (permitted.length === 0) return message('You may not use Edgewise here.');
  const { items } = await services.catalogue.zones();
  const onZones = permitted.filter((operation) => subjectsOf(operation).includes('zone'));
  const isTheirs = (zone: PullZone) =>
    onZones.some((one) => services.policy.decide(one, actor, place, { zone: [wordsFor(zone)] }).allowed);
  const parts = partsOf(shown, items.filter(isTheirs));
  const things = thingsIn(parts).flatMap((thing) => commandsFor(thing, permitted, services.now()));
  if (things.length > 0)
    return message(...things, note('Each opens a filled-in form; nothing happens before you send it.'));
  const toTry = permitted.filter((operation) => operation.toTry !== undefined).slice(0, 3);
  return message(
    'I found no hostname, zone, address or file in this message that I can work with.',
    actions(...toTry.map(({ name, toTry: label = name }) => commandButton(label, name))),
  );
}

interface Thing {
  words: Words;
  parts: Partial<Record<MessagePart, string>>;
  file?: { id: string; name: string };
}

function thingsIn({ hosts, others, files }: MessageParts): Thing[] {
  const { day, ...own } = others;
  const ofDay = day === undefined ? {} : { day };
  const things: Thing[] = [
    ...files.map((file): Thing => ({ words: mrkdwn`The file ${bold(file.name)}`, parts: {}, file })),
    ...hosts.map(({ host, path }): Thing => {
      const words = mrkdwn`${bold(host)}${path === undefined ? '' : mrkdwn` ${code(path)}`}${withOthers(own)}`;
      return { words, parts: { host, ...own, ...ofDay, ...(path === undefined ? {} : { path }) } };
    }),
  ];
  const { status, ...alone } = own;
  if (hosts.length === 0 && Object.keys(alone).length > 0)
    things.push({ words: mrkdwn`The request${withOthers(own)}`, parts: { ...own, ...ofDay } });
  return things.slice(0, 3);
}

const withOthers = (others: MessageParts['others']): Words =>
  Object.entries(others).reduce<Words>((words, [part, value]) => mrkdwn`${words}, ${part} ${code(value)}`, '');

/** Reads before changes, and first the command that takes most of it. */
function commandsFor({ words, parts, file }: Thing, permitted: readonly AnyOperation[], now: Date): (Words | Part)[] {
  const fitting = permitted.flatMap((operation) => {
    const given = givenBy(operation, parts, file, now);
    // A status or a day alone does not identify anything.
    const isAbout = given.some(([, part]) => part !== 'status' && part !== 'day');
    const line = lineOf(operation, Object.fromEntries(given.map(([key, , text]) => [key, text])));
    const rank = given.filter(([, part]) => part !== 'day').length + (operation.toTry === undefined ? 0 : 0.5);
    return isAbout && line.length <= LIMITS.buttonValue ? [{ operation, line, rank }] : [];
  });
  if (fitting.length === 0) return [];
  const ranked = fitting.sort((a, b) => b.rank - a.rank);
  const rowOf = (isRead: boolean) =>
    actions(
      ...ranked
        .filter(({ operation }) => (operation.effect === 'read') === isRead)
        .slice(0, 6)
        .map(({ operation, line }) => formButton(titleOf(operation), line)),
    );
  return [words, rowOf(true), rowOf(false)];
}

function givenBy(
  { args }: AnyOperation,
  parts: Thing['parts'],
  file: Thing['file'],
  now: Date,
): [key: string, part: MessagePart | 'file', text: string][] {
  const left = { ...parts };
  return Object.entries(args).flatMap(([key, kind]): [string, MessagePart | 'file', string][] => {
    const { field, fromMessage } = kind;
    if (field.type === 'file' && file !== undefined) {
      const takes = field.extensions?.some((one) => file.name.toLowerCase().endsWith(`.${one}`)) ?? true;
      return takes ? [[key, 'file', file.id]] : [];
    }
    const text = fromMessage === undefined ? undefined : left[fromMessage];
    if (fromMessage === undefined || text === undefined || !passes(() => kind.check(text, now))) return [];
    delete left[fromMessage];
    return [[key, fromMessage, text]];
  });
}
