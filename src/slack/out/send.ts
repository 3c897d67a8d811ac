import type { AnyBlock } from '@slack/types';
import type { Logger } from 'pino';
import { fallbackOf } from '../../blocks/fallback.ts';
import { type AttachedFile, isNative, type Message } from '../../blocks/message.ts';
import { retry } from '../../retry.ts';
import { MINUTE } from '../../time.ts';
import type { Clients } from '../clients.ts';
import { isGone, isUnreached, meansOf, refusalOf, secondsToWait } from '../refusals.ts';
import { fitMessage } from './fit.ts';
import { type KnownSurfaces, noteRefused, noteShown, refusedOn, type Surface } from './refused-blocks.ts';

export interface SendServices extends Clients {
  surfaces: KnownSurfaces;
  log: Logger;
  wait(milliseconds: number): Promise<void>;
}

/** A call that came too soon was not carried out. */
export function inTime<T>({ wait }: Pick<SendServices, 'wait'>, call: () => Promise<T>): Promise<T> {
  return retry(call, wait, (error, attempt) => {
    const seconds = secondsToWait(error);
    return seconds === undefined || attempt === 4 || seconds > 15 ? undefined : seconds * 1000;
  });
}

/** In milliseconds. */
const AGAIN_AFTER = [2_000, 8_000, 30_000];

/** It may come twice while Slack cannot be reached, which is better than never. */
export function untilReached<T>({ wait, log }: Pick<SendServices, 'wait' | 'log'>, send: () => Promise<T>): Promise<T> {
  return retry(send, wait, (error, attempt) => {
    const pause = isUnreached(error) ? AGAIN_AFTER[attempt - 1] : undefined;
    if (pause !== undefined) log.info({ err: error, pause }, 'Slack cannot be reached: the answer is sent again');
    return pause;
  });
}

/** Whatever Slack's fault is: the same view twice in the same place does no harm. */
export function untilShown<T>({ wait, log }: Pick<SendServices, 'wait' | 'log'>, send: () => Promise<T>): Promise<T> {
  let isMissed = false;
  let waited = 0;
  return retry(send, wait, (error, attempt) => {
    // A view that was just opened may not be known everywhere at Slack yet. In milliseconds.
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

/** Degrades from native blocks to text in their place, less text, bare text. Secrets are hidden before anything is cut. */
export async function sendFitting<T>(
  services: SendServices,
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

function inForm(services: SendServices, surface: Surface, message: Message, form: Form): Message {
  if (form === 'native') return fitMessage(withoutRefused(services, surface, message));
  if (form === 'plain') return fitMessage(fallbackOf(message));
  const short = fitMessage(fallbackOf(message), { messageBlockText: 3_000, messageText: 3_000 });
  return form === 'short' ? short : bare(short);
}

function withoutRefused({ surfaces }: SendServices, surface: Surface, message: Message): Message {
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
  { surfaces, log }: SendServices,
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
  // Blocks that every Slack takes are our own mistake.
  log.error({ err: error, surface }, 'Slack refused the blocks of a message: sent as bare text');
  return 'bare';
}
