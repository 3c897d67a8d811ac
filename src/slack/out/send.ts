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

/** Slack may take a block in one place and not in another. */
type Surface = 'message' | 'ephemeral' | 'response url';

export interface Sending extends Trying, Clients {
  /** Whether Slack has taken native blocks there. */
  natives: Map<Surface, boolean>;
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
    const seconds = secondsToWait(error);
    const pause = seconds === undefined ? (AGAIN_AFTER[attempt - 1] ?? AGAIN_AFTER.at(-1)) : seconds * 1000;
    const passing = meansOf(error)?.kind === 'pass' ? pause : undefined;
    // In milliseconds. Not all of Slack’s servers may know a view that was just opened.
    const again = isGone(error, 'view') && !isMissed ? 500 : passing;
    isMissed ||= isGone(error, 'view');
    waited += again ?? 0;
    // Nobody looks at an open view for longer.
    if (again === undefined || waited > 30 * MINUTE) return undefined;
    log.info({ err: error, pause: again }, 'Slack did not take a view: it is sent again');
    return again;
  });
}

type Form = 'native' | 'plain' | 'short' | 'bare';

/** Falls back from native blocks to text, to less text, to bare text. Secrets are hidden before anything is cut. */
export async function sendFitting<T>(
  services: Sending,
  surface: Surface,
  message: Message,
  send: (message: Message) => Promise<T>,
): Promise<{ sent: T; files: readonly AttachedFile[] }> {
  for (let form: Form | undefined = services.natives.get(surface) === false ? 'plain' : 'native'; ; ) {
    const fitted = inForm(message, form);
    try {
      const sent = await send(fitted);
      if (fitted.blocks.some(isNative)) services.natives.set(surface, true);
      return { sent, files: fitted.files ?? [] };
    } catch (error) {
      form = nextForm(services, surface, fitted, form, error);
      if (form === undefined) throw error;
    }
  }
}

function inForm(message: Message, form: Form): Message {
  if (form === 'native') return fitMessage(message);
  if (form === 'plain') return fitMessage(fallbackOf(message));
  const short = fitMessage(fallbackOf(message), { messageBlockText: 3_000, messageText: 3_000 });
  return form === 'short' ? short : bare(short);
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
  { natives, log }: Sending,
  surface: Surface,
  fitted: Message,
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
  if (fitted.blocks.some(isNative)) {
    // Where it has taken some, these may be wrong.
    if (natives.get(surface) !== true) natives.set(surface, false);
    log.info({ surface }, 'Slack refused native blocks: sent as text');
    return 'plain';
  }
  // All versions of Slack take these blocks, so the mistake is ours.
  log.error({ err: error, surface }, 'Slack refused the blocks of a message: sent as bare text');
  return 'bare';
}
