import type { AnyBlock } from '@slack/types';
import type { Logger } from 'pino';
import { fallbackOf } from '../../blocks/fallback.ts';
import { type AttachedFile, isNative, type Message } from '../../blocks/message.ts';
import { retry } from '../../retry.ts';
import { MINUTE } from '../../time.ts';
import type { Clients } from '../clients.ts';
import { isGone, isUnreached, meansOf, refusalOf, secondsToWait } from '../refusals.ts';
import { fitMessage, type TextLimits } from './fit.ts';
import { type KnownSurfaces, noteRefused, noteShown, refusedOn, type Surface } from './refused-blocks.ts';

/** The room for text where Slack found it too long, in characters: of the blocks, and of the text beside them. */
const LESS: TextLimits = { messageBlockText: 3_000, messageText: 3_000 };

/** Everything that a message is sent in its richest form with. */
export interface SendServices extends Clients {
  /** Blocks that Slack has taken and refused, by surface. */
  surfaces: KnownSurfaces;
  log: Logger;
  wait(milliseconds: number): Promise<void>;
}

/** A call that Slack refused for coming too soon was not carried out, so it may be made again when it says. */
export function inTime<T>({ wait }: Pick<SendServices, 'wait'>, call: () => Promise<T>): Promise<T> {
  return retry(call, wait, (error, attempt) => {
    const seconds = secondsToWait(error);
    return seconds === undefined || attempt === 4 || seconds > 15 ? undefined : seconds * 1000;
  });
}

/** Pauses before what did not reach Slack is sent again, in milliseconds. */
const AGAIN_AFTER = [2_000, 8_000, 30_000];

/** Sends an answer again while Slack cannot be reached. It may come twice, which is better than never. */
export function untilReached<T>({ wait, log }: Pick<SendServices, 'wait' | 'log'>, send: () => Promise<T>): Promise<T> {
  return retry(send, wait, (error, attempt) => {
    const pause = isUnreached(error) ? AGAIN_AFTER[attempt - 1] : undefined;
    if (pause !== undefined) log.info({ err: error, pause }, 'Slack cannot be reached: the answer is sent again');
    return pause;
  });
}

/** Sends a view until it is there, whatever Slack's fault is, or until it is gone: twice the same view in the same place does no harm. */
export function untilShown<T>({ wait, log }: Pick<SendServices, 'wait' | 'log'>, send: () => Promise<T>): Promise<T> {
  let isMissed = false;
  let waited = 0;
  return retry(send, wait, (error, attempt) => {
    // A view that was opened a moment ago may not be known everywhere at Slack yet: it is asked for once more after
    // so long.
    const again = isGone(error, 'view') && !isMissed ? 500 : pauseOf(error, attempt);
    isMissed ||= isGone(error, 'view');
    waited += again ?? 0;
    // Nobody looks at an open view any longer than this.
    if (again === undefined || waited > 30 * MINUTE) return undefined;
    log.info({ err: error, pause: again }, 'Slack did not take a view: it is sent again');
    return again;
  });
}

/** The pause after an error of Slack's that passes. */
function pauseOf(error: unknown, attempt: number): number | undefined {
  if (meansOf(error)?.kind !== 'pass') return undefined;
  const seconds = secondsToWait(error);
  return seconds === undefined ? (AGAIN_AFTER[attempt - 1] ?? AGAIN_AFTER.at(-1)) : seconds * 1000;
}

/** From the richest form of a message to what every Slack takes. */
type Form = 'native' | 'plain' | 'short' | 'bare';

/**
 * Sends a message to a surface in the richest form that Slack takes there: with native blocks, with text in their place,
 * with less text, as bare text. Blocks that were refused there before are not tried again. The files are those of what
 * was sent; secrets are hidden before, because one that a cut goes through would not be known any more.
 */
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
  const short = fitMessage(fallbackOf(message), LESS);
  return form === 'short' ? short : bare(short);
}

/** With text in the place of the blocks that the surface has refused. */
function withoutRefused({ surfaces }: SendServices, surface: Surface, message: Message): Message {
  const refused = refusedOn(surfaces, surface);
  return fallbackOf(message, undefined, (block: AnyBlock) => isNative(block) && refused.has(block.type));
}

/** Text alone is taken everywhere. */
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

/** The next form to try; undefined: the error is about something else, or nothing plainer is left. */
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
  // Blocks that every Slack takes are the bot's own mistake.
  log.error({ err: error, surface }, 'Slack refused the blocks of a message: sent as bare text');
  return 'bare';
}
