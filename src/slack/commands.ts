import { setTimeout as after } from 'node:timers/promises';
import type { ModalView } from '@slack/types';
import { BUTTONS, button, commandButton, formButton as openButton } from '../blocks/buttons.ts';
import { LIMITS } from '../blocks/limits.ts';
import { actions, type Message, message, note } from '../blocks/message.ts';
import { code, join, moment, mrkdwn, type Words } from '../blocks/mrkdwn.ts';
import { needsReason } from '../changes/approve.ts';
import { type AskResult, ask, type Request } from '../changes/ask.ts';
import { subjectsOf } from '../changes/permission.ts';
import { wordsOf } from '../changes/words.ts';
import { insteadOf, logged, UsageError } from '../errors.ts';
import { KINDS } from '../operations/arguments/resources/kinds.ts';
import { entryOf, type Kind, type Named } from '../operations/arguments/resources/look-up.ts';
import type { Actor, SeenPlace } from '../operations/context.ts';
import { type Command, checked, flagNameOf, lineOf, readCommand } from '../operations/grammar.ts';
import type { AnyOperation, Given } from '../operations/operation.ts';
import { EMOJI, lexiconOf, saysNothing, THANKS, wordsIn } from '../operations/words/lexicon.ts';
import type { Things } from '../operations/words/phrase.ts';
import { type Reading, readPlainWords } from '../operations/words/read.ts';
import { slash } from '../own-name.ts';
import type { Confirmation } from '../store/confirmations.ts';
import { draftButtons, neededPart } from './approval.ts';
import { answerIs, explain, showingProblems, tell, tellingProblems, updateOpen } from './conversation.ts';
import {
  buildConfirmView,
  buildForm,
  buildRequestView,
  buildShownView,
  buildWorkingView,
  memoryFor,
  titleOf,
} from './form.ts';
import { permittedTo } from './home/home.ts';
import { isDirect, type Posted } from './out/outgoing.ts';
import { holdsSecret, ROTATE } from './out/secrets.ts';
import { whoIs } from './people.ts';
import { follow } from './progress.ts';
import { isGone } from './refusals.ts';
import type { Bot, Origin } from './services.ts';

export function runCommand(services: Bot, line: string, origin: Origin): Promise<void> {
  // *Help me, the site is down* asks for no manual.
  const said = line.replace(/^help(?: me)?[,!:] (?=\S)/i, '');
  return tellingProblems(services, origin, () => runLine(services, said, origin));
}

/** For a typed line or one on a button. Throws UsageError if it is not a command. */
export async function runLine(services: Bot, line: string, origin: Origin): Promise<void> {
  if (holdsSecret(services.secrets, line)) {
    // The secret is now in Slack’s history, for whoever can read it.
    const text = 'That line has a key, a token or a password in it. I did nothing with it.';
    return tell(services, origin, message(text, note(ROTATE)));
  }
  const typed = typedCommand(services, line);
  if ('given' in typed) return runOperation(services, typed.operation, typed.given, origin);
  const isCommand = services.operations.some(({ name }) => `${line} `.startsWith(`${name} `));
  const isPhrase = line.includes(' ') && lexiconOf(services.operations).phrases.has(wordsIn(line).join(' '));
  if (!isCommand && !isPhrase && saysNothing(line))
    return THANKS.test(line.replace(EMOJI, ''))
      ? tell(services, origin, message('You’re welcome.'))
      : runLine(services, 'help', origin);
  await runPlainWords(services, line, typed, origin);
}

interface Wrong {
  error: UsageError;
  read?: { operation: AnyOperation; given: Given };
}

function typedCommand({ operations, now }: Bot, line: string): Command | Wrong {
  let read: Wrong['read'];
  try {
    read = readCommand(line, operations);
    return checked(read.operation, read.given, now());
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return read === undefined ? { error } : { error, read };
  }
}

/** Not *attack on*, but *attack mode off please*: the command has its verbs in a choice after its name. */
function isOrdinaryWord(line: string, operations: Bot['operations']): boolean {
  const [first, second] = line.toLowerCase().split(/\s+/);
  const [verb] = Object.values(operations.find(({ name }) => name === first)?.args ?? {});
  return verb?.field.type === 'select' && verb.required && !verb.field.options.some(({ value }) => value === second);
}

/** The line is not a command, but may be a request in plain words. */
async function runPlainWords(services: Bot, line: string, wrong: Wrong, origin: Origin): Promise<void> {
  const { error, read } = wrong;
  const instead =
    read === undefined ? error.instead.filter((meant) => !('error' in typedCommand(services, meant))) : error.instead;
  // A line with flags, quotes or a refused value was meant as a command.
  const isSaid = isOrdinaryWord(line, services.operations);
  const isTyped = /["“„«]|(?:^|\s)--[a-z]+/i.test(line);
  const isWrong = (error.argument !== undefined && !isSaid) || (read !== undefined && isTyped);
  const reading: Reading = isWrong ? { choices: [] } : await readingOf(services, line, origin);
  const { understood } = reading;
  if (understood !== undefined && !isTyped) {
    const { operation: meant, given } = understood;
    return runOperation(services, meant, given, { ...origin, understood: lineOf(meant, given) });
  }
  const [noun, next = ''] = line.toLowerCase().split(/\s+/);
  const isPhrase = isSaid || /^(?:of|on|for|in|at|from|the|with)$/.test(next);
  const isNearly =
    error.instead.length > 0 || (!isPhrase && services.operations.some(({ name }) => name.split(' ', 1)[0] === noun));
  // Called even if the problem is not shown: the log counts it.
  const problem = explain(services, error);
  const { choices, tooMany, isRefused } = reading;
  const unknown = (reading.unknown ?? []).filter((text) => !/^(?:--|[—–])/.test(text));
  if (isRefused === true) return tell(services, origin, message('I didn’t do anything.'));
  const { timezone } = (await whoIs(services, origin)).reader;
  // A button has no date tokens.
  const labelOf = ([key, text]: [string, string]) =>
    text === 'true' ? flagNameOf(key) : text.replace(/\d:\d\d$/, `$& ${timezone}`);
  // A line that is nearly a command gets no buttons for plain words.
  const useful = (instead.length > 0 ? [] : choices)
    .map(({ operation, given }) => ({
      label: [...new Set([operation.name, ...Object.entries(given).map(labelOf)])].join(' '),
      line: lineOf(operation, given),
    }))
    .filter((one) => one.line.length <= LIMITS.buttonValue)
    .slice(0, 3);
  const isUnread = useful.length > 0 && unknown.length > 0 && tooMany === undefined;
  await tell(
    services,
    origin,
    message(
      useful.length > 0 && !isNearly ? 'I didn’t do anything: I’m not sure what you mean.' : problem,
      tooMany?.label !== undefined &&
        mrkdwn`${tooMany.label} takes one value, and you gave ${join(tooMany.values.map(code), ', ')}.`,
      isUnread && mrkdwn`I don’t know ${join(unknown.map(code), ', ')}.`,
      useful.length > 0 && note('If you want one of these, I’ll ask first:'),
      read === undefined
        ? useButtons(instead.map((meant) => [`Use ${meant}`, meant]))
        : insteadButtons(error, read.operation, read.given),
      actions(...useful.map(({ label, line: filled }) => openButton(label, filled))),
      read !== undefined && formButton(read.operation, line),
      useful.length + instead.length === 0 && read === undefined && actions(commandButton('What can I do?', 'help')),
    ),
  );
}

async function readingOf(services: Bot, line: string, origin: Origin): Promise<Reading> {
  const { operations, now } = services;
  const [{ actor }, place] = await Promise.all([whoIs(services, origin), services.seePlace(origin.place)]);
  const permitted = permittedTo(services, actor, place);
  // Nothing is looked up for people without rights.
  if (permitted.length === 0) return { choices: [] };
  const things = await thingsFor(services, permitted, actor, place);
  const reading = readPlainWords(line, operations, things, now());
  return { ...reading, choices: reading.choices.filter(({ operation }) => permitted.includes(operation)) };
}

export async function runOperation(
  services: Bot,
  operation: AnyOperation,
  typed: Given,
  origin: Origin,
): Promise<void> {
  const given = await withFile(operation, typed, origin);
  const { missing } = checked(operation, given, services.now());
  const title = titleOf(operation);
  const wantsView = missing.length > 0 || operation.effect === 'destructive';
  const id = wantsView ? await openWorking(services, title, origin) : undefined;
  if (id !== undefined) {
    const work = () => askInView(services, id, operation, given, origin);
    return showingProblems(services, { id, title, origin }, work);
  }
  const request = await requestOf(services, operation, given, origin);
  let waiting: Posted | undefined;
  const posted = async (where: Posted) => {
    waiting = where;
  };
  const {
    asked: answered,
    inPlaceOf,
    isRestarting,
  } = await follow(
    services,
    request,
    (following) => ask(services, request, following),
    (text) => tell(services, origin, text, { passing: true, posted }),
  );
  const asked = asUnderstood(answered, origin);
  const text =
    isRestarting && asked.kind === 'problem'
      ? message(asked.message, useButtons([['Start it again', lineOf(operation, given)]]))
      : messageOf(services, asked, operation, given, origin);
  await tell(services, inPlaceOf ?? origin, text, {
    replace: inPlaceOf !== undefined,
    copyOf: asked.kind === 'question' ? { id: asked.confirmation.id, isOwn: true } : undefined,
  });
  if (waiting === undefined || inPlaceOf !== undefined) return;
  await services.outgoing.erase(waiting).catch(logged(services.log, 'info', 'a message about work that is over stays'));
}

/** Undefined: there is no trigger, it is too old, or the view was closed. */
async function openWorking({ outgoing }: Bot, title: string, { triggerId }: Origin) {
  if (triggerId === undefined) return undefined;
  const opening = outgoing.openView(triggerId, buildWorkingView(title, 'One moment …'));
  return opening.catch(insteadOf((error) => isGone(error, 'trigger', 'view'), undefined));
}

export async function openForm(services: Bot, line: string, origin: Origin): Promise<void> {
  const { operation, given } = readCommand(line, services.operations);
  const form = buildForm(operation, given, memoryFor(operation, origin));
  if (origin.view !== undefined) await services.outgoing.updateView(origin.view.id, form);
  else if (origin.triggerId !== undefined) await services.outgoing.openView(origin.triggerId, form);
}

export async function askInView(
  services: Bot,
  viewId: string,
  operation: AnyOperation,
  given: Given,
  origin: Origin,
): Promise<void> {
  const request = await requestOf(services, operation, given, origin);
  const { asked } = await follow(
    services,
    request,
    (following) => ask(services, request, following),
    (text) => services.outgoing.updateView(viewId, buildShownView(titleOf(operation), text), { passing: true }),
    { again: true },
  );
  await showInView(services, viewId, asUnderstood(asked, origin), request, origin);
}

function asUnderstood(asked: AskResult, { understood }: Origin): AskResult {
  if (understood === undefined || asked.kind === 'form') return asked;
  return { ...asked, message: message(note(mrkdwn`Understood as ${code(slash(understood))}`), asked.message) };
}

export async function requestOf(
  services: Bot,
  operation: AnyOperation,
  given: Given,
  origin: Origin,
): Promise<Request> {
  const [person, place] = await Promise.all([whoIs(services, origin), services.seePlace(origin.place)]);
  return { operation, given, place, ...person };
}

async function withFile(operation: AnyOperation, given: Given, origin: Origin): Promise<Given> {
  const argument = Object.entries(operation.args).find(
    ([key, kind]) => kind.field.type === 'file' && given[key] === undefined,
  );
  if (argument === undefined || origin.fileIds === undefined) return given;
  const [newest] = await origin.fileIds();
  return newest === undefined ? given : { ...given, [argument[0]]: newest };
}

export function messageOf(
  services: Bot,
  asked: AskResult,
  operation: AnyOperation,
  given: Given,
  origin: Origin,
): Message {
  const line = lineOf(operation, given);
  switch (asked.kind) {
    case 'result':
      return withShare(asked, origin);
    case 'question': {
      if (asked.approval !== undefined) {
        return message(asked.message, draftButtons(asked.confirmation, asked.approval));
      }
      // A form to type the name in needs a trigger. The button brings one.
      if (asked.confirmation.typedName !== undefined) {
        return message(asked.message, actions(button(BUTTONS.continue, line)));
      }
      return message(asked.message, confirmButtons(services, asked.confirmation, operation));
    }
    case 'form':
      return message(
        mrkdwn`${code(operation.name)} needs more: ${asked.missing.map((key) => operation.args[key]?.label ?? key).join(', ')}.`,
        actions(button(BUTTONS.fillIn, line)),
      );
    case 'unchanged':
      return asked.message;
    case 'problem':
      return message(
        asked.message,
        asked.outcome === 'usage' ? insteadButtons(asked, operation, given) : handOnButton(asked, line),
        (asked.outcome === 'usage' || (origin.isFromForm && asked.outcome !== 'forbidden')) &&
          formButton(operation, line),
      );
  }
}

async function showInView(
  services: Bot,
  viewId: string,
  asked: AskResult,
  { operation, given }: Request,
  origin: Origin,
): Promise<void> {
  const memory = memoryFor(operation, origin);
  const said = (text: Words) => buildShownView(titleOf(operation), message(text));
  const show = (view: ModalView) => updateOpen(services, viewId, view);
  const showOrTell = async (view: ModalView) => {
    if (!(await show(view))) await tell(services, origin, messageOf(services, asked, operation, given, origin));
  };
  switch (asked.kind) {
    case 'result':
      await tell(services, origin, withShare(asked, origin));
      await show(said(answerIs(origin)));
      return;
    case 'question': {
      const { confirmation, approval } = asked;
      if (approval !== undefined) {
        const asking = { ...memory, confirmation: confirmation.id };
        const isOptional = !(await needsReason(services, confirmation.id));
        return showOrTell(
          buildRequestView(asking, isOptional, message(asked.message, neededPart(confirmation, approval))),
        );
      }
      const confirming = { ...memory, confirmation: confirmation.id, typedName: confirmation.typedName };
      return showOrTell(buildConfirmView(operation, wordsOf(services, confirmation).button, asked.message, confirming));
    }
    case 'form':
      await show(buildForm(operation, given, memory));
      return;
    case 'unchanged':
      return showOrTell(
        buildForm(
          operation,
          given,
          memory,
          message(asked.message, note('Nothing to do. Choose something else, or close this.')),
        ),
      );
    case 'problem':
      // A form would not help somebody who may not run the operation.
      return showOrTell(
        asked.outcome === 'forbidden'
          ? buildShownView(
              titleOf(operation),
              message(asked.message, handOnButton(asked, lineOf(operation, given))),
              memory,
            )
          : buildForm(operation, given, memory, message(asked.message, insteadButtons(asked, operation, given))),
      );
  }
}

function withShare({ message: text, shareId }: Extract<AskResult, { kind: 'result' }>, { place }: Origin): Message {
  return shareId === undefined || isDirect(place.channelId)
    ? text
    : message(text, actions(button(BUTTONS.share, shareId)));
}

function confirmButtons(services: Bot, confirmation: Confirmation, operation: AnyOperation): Message {
  const { id } = confirmation;
  const isRed = operation.effect === 'destructive' || confirmation.preview.worsens !== undefined;
  const confirm = isRed ? BUTTONS.confirmDestructive : BUTTONS.confirm;
  const { button: label } = wordsOf(services, confirmation);
  return message(
    actions(button({ ...confirm, label }, id), button(BUTTONS.cancel, id)),
    note(mrkdwn`Only you see this. It can be confirmed until ${moment(confirmation.expiresAt)}.`),
  );
}

const handOnButton = ({ whom }: Extract<AskResult, { kind: 'problem' }>, line: string): Message =>
  whom === undefined || line.length > LIMITS.buttonValue
    ? message()
    : message(actions(button({ ...BUTTONS.handOn, label: `Ask ${whom.name} to do it` }, line)));

function insteadButtons(
  { argument, instead = [] }: { argument?: string | undefined; instead?: readonly string[] | undefined },
  operation: AnyOperation,
  given: Given,
): Message {
  if (argument === undefined) return message();
  return useButtons(instead.map((meant) => [`Use ${meant}`, lineOf(operation, { ...given, [argument]: meant })]));
}

const useButtons = (meant: readonly (readonly [label: string, line: string])[]): Message => {
  const short = meant.filter(([, line]) => line.length <= LIMITS.buttonValue);
  return message(actions(...short.map(([label, line]) => commandButton(label, line))));
};

function formButton({ args }: AnyOperation, line: string): Message {
  if (Object.keys(args).length === 0 || line.length > LIMITS.buttonValue) return message();
  return message(actions(button(BUTTONS.openForm, line)));
}

/** If a list is late or unavailable, the line is answered without it. */
const itemsOf = async <T>(list: Promise<{ items: readonly T[] }>): Promise<readonly T[]> => {
  try {
    return (await Promise.race([list, after(1_000, { items: [] }, { ref: false })])).items;
  } catch {
    return [];
  }
};

/** The names that plain words may contain: only things on which the person may run something. */
async function thingsFor(
  services: Bot,
  permitted: readonly AnyOperation[],
  actor: Actor,
  place: SeenPlace,
): Promise<Things> {
  const namesOf = async (kind: Kind<Named>): Promise<[string, string[]]> => {
    const about = permitted.filter((operation) => subjectsOf(operation).includes(kind.subject));
    const entries = (await itemsOf(kind.list(services.catalogue)())).map((thing) => entryOf(kind, thing, services));
    // A right on some hostnames names no zone, because that has others too.
    const theirs = entries.filter(({ names }) =>
      about.some((operation) => services.policy.decide(operation, actor, place, { hostname: [], ...names }).allowed),
    );
    return [kind.subject, theirs.flatMap(({ name }) => name ?? [])];
  };
  const named = Object.fromEntries(await Promise.all(KINDS.map(namesOf)));
  const zones = (await itemsOf(services.catalogue.zones())).filter(({ Name = '' }) => named.zone?.includes(Name));
  const hostname = zones.flatMap(({ Name, Hostnames }) =>
    Hostnames.toSorted((a, b) => Number(a.IsSystemHostname) - Number(b.IsSystemHostname))
      .slice(0, 3)
      .map(({ Value }) => `${Value}@${Name}`),
  );
  return { ...named, hostname, report: services.reports.all().map(({ name }) => name) };
}
