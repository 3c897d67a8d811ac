import { webApi } from '@slack/bolt';
import type { AnyBlock } from '@slack/types';
import type { Logger } from 'pino';
import { fallbackOf } from '../../blocks/fallback.ts';
import { type AttachedFile, isNative, type Message } from '../../blocks/message.ts';
import { retry } from '../../retry.ts';
import { MINUTE } from '../../time.ts';
import type { Clients } from '../clients.ts';
import { isGone, isUnreached, meansOf, refusalOf, secondsToWait } from '../refusals.ts';
import { fitMessage } from './fit.ts';

interface Trying {
  log: Logger;
  wait(milliseconds: number): Promise<void>;
}

export interface Sending extends Trying, Clients {
  surfaces: KnownSurfaces;
}

/** Retries a call that Slack refused as too early, because Slack did nothing then. */
export function inTime<T>({ wait }: Pick<Trying, 'wait'>, call: () => Promise<T>): Promise<T> {
  return retry(call, wait, (error, attempt) => {
    const seconds = secondsToWait(error);
    return seconds === undefined || attempt === 4 || seconds > 15 ? undefined : seconds * 1000;
  });
}

/** In milliseconds. */
const AGAIN_AFTER = [2_000, 8_000, 30_000];

/** If Slack cannot be reached, a message may come twice, which is better than never. */
export function untilReached<T>({ wait, log }: Trying, send: () => Promise<T>): Promise<T> {
  return retry(send, wait, (error, attempt) => {
    const pause = isUnreached(error) ? AGAIN_AFTER[attempt - 1] : undefined;
    if (pause !== undefined) log.info({ err: error, pause }, 'Slack cannot be reached: the answer is sent again');
    return pause;
  });
}

/** Retries after any fault of Slack, because the same view may be shown twice. */
export function untilShown<T>({ wait, log }: Trying, send: () => Promise<T>): Promise<T> {
  let isMissed = false;
  let waited = 0;
  return retry(send, wait, (error, attempt) => {
    // In milliseconds. Not all of Slack’s servers may know a view that was just opened.
    const again = isGone(error, 'view') && !isMissed ? 500 : pauseOf(error, attempt);
    isMissed ||= isGone(error, 'view');
    waited += again ?? 0;
    // Nobody looks at an open view for longer.
    if (again === undefined || waited > 30 * MINUTE) return undefined;
    log.info({ err: error, pause: again }, 'Slack did not take a view: it is sent again');
    return again;
  });
}

function pauseOf(error: unknown, attempt: number): number | undefined {
  if (meansOf(error)?.kind !== 'pass') return undefined;
  const seconds = secondsToWait(error);
  return seconds === undefined ? (AGAIN_AFTER[attempt - 1] ?? AGAIN_AFTER.at(-1)) : seconds * 1000;
}

type Form = 'native' | 'plain' | 'short' | 'bare';

/** Falls back from native blocks to text, to less text, to bare text. Secrets are hidden before anything is cut. */
export async function sendFitting<T>(
  services: Sending,
  surface: Surface,
  message: Message,
  send: (message: Message) => Promise<T>,
): Promise<{ sent: T; files: readonly AttachedFile[] }> {
  for (let form: Form | undefined = 'native'; ; ) {
    const fitted = inForm(services, surface, message, form);
    try {
      const sent = await send(fitted);
      noteShown(services.surfaces, surface, fitted.blocks);
      return { sent, files: fitted.files ?? [] };
    } catch (error) {
      form = nextForm(services, surface, fitted, form, error);
      if (form === undefined) throw error;
    }
  }
}

function inForm(services: Sending, surface: Surface, message: Message, form: Form): Message {
  if (form === 'native') return fitMessage(withoutRefused(services, surface, message));
  if (form === 'plain') return fitMessage(fallbackOf(message));
  const short = fitMessage(fallbackOf(message), { messageBlockText: 3_000, messageText: 3_000 });
  return form === 'short' ? short : bare(short);
}

function withoutRefused({ surfaces }: Sending, surface: Surface, message: Message): Message {
  const refused = refusedOn(surfaces, surface);
  return fallbackOf(message, undefined, (block: AnyBlock) => isNative(block) && refused.has(block.type));
}

function bare({ text, blocks, files }: Message): Message {
  const lines = [
    text,
    ...(blocks.some((block) => block.type === 'actions' || 'accessory' in block)
      ? ['Its buttons cannot be shown: type the command again.']
      : []),
  ];
  const said = lines.filter((line) => line !== '').join('\n');
  return { text: said === '' ? 'Slack cannot show this message.' : said, blocks: [], ...(files ? { files } : {}) };
}

function nextForm(
  { surfaces, log }: Sending,
  surface: Surface,
  { blocks }: Message,
  form: Form,
  error: unknown,
): Form | undefined {
  const refusal = refusalOf(error);
  const kind = refusal?.meaning.kind;
  if (form === 'bare' || (kind !== 'shorten' && kind !== 'fall back')) return undefined;
  if (kind === 'shorten') {
    log.info({ surface, code: refusal?.code }, 'Slack found a message too long: sent shorter');
    return form === 'short' ? 'bare' : 'short';
  }
  const types = noteRefused(surfaces, surface, error, blocks);
  if (types.length > 0) {
    log.info({ surface, types }, 'Slack refused native blocks: sent as text');
    return 'native';
  }
  if (form === 'native' && blocks.some(isNative)) return 'plain';
  // All versions of Slack take these blocks, so the mistake is ours.
  log.error({ err: error, surface }, 'Slack refused the blocks of a message: sent as bare text');
  return 'bare';
}

/** Slack may take a type of block in one place and not in another. */
export type Surface = 'message' | 'ephemeral' | 'response url';

interface Tried {
  readonly shown: Set<string>;
  readonly refused: Set<string>;
}

export type KnownSurfaces = Map<Surface, Tried>;

function triedOn(known: KnownSurfaces, surface: Surface): Tried {
  const tried = known.get(surface) ?? { shown: new Set(), refused: new Set() };
  known.set(surface, tried);
  return tried;
}

const typesIn = (blocks: readonly AnyBlock[]): string[] => [
  ...new Set<string>(blocks.filter(isNative).map(({ type }) => type)),
];

export function refusedOn(known: KnownSurfaces, surface: Surface): ReadonlySet<string> {
  return triedOn(known, surface).refused;
}

export function noteShown(known: KnownSurfaces, surface: Surface, blocks: readonly AnyBlock[]): void {
  const { shown } = triedOn(known, surface);
  for (const type of typesIn(blocks)) shown.add(type);
}

/** Returns the types that are no longer tried. */
export function noteRefused(
  known: KnownSurfaces,
  surface: Surface,
  error: unknown,
  blocks: readonly AnyBlock[],
): string[] {
  const tried = triedOn(known, surface);
  const fresh = refusedTypes(tried, error, blocks).filter((type) => !tried.refused.has(type));
  for (const type of fresh) tried.refused.add(type);
  return fresh;
}

/** The types of blocks that Slack names as wrong; a named part of a block is no wrong type. Without details: types never shown there. */
function refusedTypes({ shown }: Tried, error: unknown, blocks: readonly AnyBlock[]): string[] {
  const types = typesIn(blocks);
  const lines = linesOf(error);
  if (lines.length === 0) return types.filter((type) => !shown.has(type));
  const named = lines.flatMap((line) => {
    const unsupported = /unsupported(?: block)? type: ([a-z_]+)/.exec(line)?.[1];
    const index = /\[json-pointer:(?:\/view)?\/blocks\/(\d+)(?:\/type)?\]/.exec(line)?.[1];
    return unsupported ?? (index === undefined ? [] : (blocks[Number(index)]?.type ?? []));
  });
  return types.filter((type) => named.includes(type));
}

export function linesOf(error: unknown): string[] {
  if (!(error instanceof webApi.WebAPIPlatformError)) return [];
  const { errors, response_metadata } = error.data as { errors?: unknown; response_metadata?: { messages?: unknown } };
  return [errors, response_metadata?.messages].flatMap((lines) => (Array.isArray(lines) ? lines.map(String) : []));
}
