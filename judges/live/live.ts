import { setTimeout as sleep } from 'node:timers/promises';
import { webApi } from '@slack/bolt';
import { pino } from 'pino';
import { message, note } from '../../src/blocks/message.ts';
import { reasonFor } from '../../src/commands/doctor/finding.ts';
import { type Config, slackSettings } from '../../src/config.ts';
import { createChannels } from '../../src/slack/channels.ts';
import { createClients } from '../../src/slack/clients.ts';
import { inTime } from '../../src/slack/out/send.ts';
import { isGone, ResponseUrlError, refusalOf } from '../../src/slack/refusals.ts';
import { MINUTE } from '../../src/time.ts';
import { type Live, Otherwise, type Proof, Skipped } from './proof.ts';
import { FILE_PROOFS } from './proofs-files.ts';
import { MESSAGE_PROOFS, METADATA } from './proofs-messages.ts';
import { TYPED_PROOFS } from './proofs-typed.ts';

/** One row of the table: what Slack did, against what the bot counts on. */
export interface Outcome {
  what: string;
  came: 'as expected' | 'OTHERWISE' | 'skipped';
  detail: string;
}

/** The terminal around it. `wait` is by the process's clock; somebody has `patience` milliseconds to type a command. */
interface Terminal {
  signal: AbortSignal;
  say(line: string): void;
  tell(outcome: Outcome): void;
  wait?(milliseconds: number): Promise<unknown>;
  patience?: number;
}

const PATIENCE = MINUTE;

const PROOFS: readonly Proof[] = [...MESSAGE_PROOFS, ...FILE_PROOFS, ...TYPED_PROOFS];

/**
 * Has Slack do one of each thing that nothing but a workspace can prove, in a channel, and tells of each as it is known. Its
 * messages and files are deleted at the end, also when `signal` ends it before. Throws where it cannot begin, with the mend.
 */
export async function lookAtSlack(
  config: Config,
  channelName: string,
  { signal, say, tell, wait = sleep, patience = PATIENCE }: Terminal,
): Promise<void> {
  const log = pino({ level: 'silent' });
  const { SLACK_BOT_TOKEN: token, SLACK_API_URL: apiUrl } = config;
  const { interactive: client, background } = createClients(token, apiUrl);
  const channel = await createChannels({ client, now: () => new Date(), log }).find(channelName);
  if (channel === undefined) throw new Error(`There is no channel ${channelName} that the bot can see.`);
  if (channel.member === false) throw new Error(`The bot is not in ${channel.name}: type /invite there first.`);
  const pause = async (milliseconds: number) => void (await wait(milliseconds));
  const live: Live = {
    config,
    settings: slackSettings(config),
    client,
    background,
    channel: channel.id,
    channelName: channel.name,
    root: '',
    signal,
    say,
    wait: pause,
    patience,
    log,
    call: (call) => inTime({ wait: pause }, call),
    undo: [],
    heard: undefined,
  };
  try {
    live.root = await postRoot(live);
    for (const proof of PROOFS) {
      const outcome = await outcomeOf(live, proof);
      if (signal.aborted) return;
      tell(outcome);
    }
  } finally {
    await clean(live);
  }
}

/** Everything else stands in the thread of this message: the channel sees one. */
async function postRoot({ client, channel, call, undo }: Live): Promise<string> {
  const text = message(
    'Edgewise’s doctor is looking at what Slack does with its messages.',
    note('It deletes this and the thread by itself, in a minute or two.'),
  );
  const { ts = '' } = await call(() => client.chat.postMessage({ channel, ...text, metadata: METADATA }));
  undo.push(['the message', () => client.chat.delete({ channel, ts })]);
  return ts;
}

async function outcomeOf(live: Live, { what, prove, otherwise }: Proof): Promise<Outcome> {
  try {
    return { what, came: 'as expected', detail: await prove(live) };
  } catch (error) {
    if (error instanceof Skipped) return { what, came: 'skipped', detail: error.message };
    return { what, came: 'OTHERWISE', detail: adviceOn(error, otherwise) };
  }
}

/** Slack did it in another way, or refused it: its own words, and what to choose. */
function adviceOn(error: unknown, otherwise: string): string {
  if (error instanceof Otherwise) return `${error.message} ${otherwise}`;
  const refusal = refusalOf(error);
  if (refusal === undefined) return reasonFor(error);
  const { code, meaning } = refusal;
  if (meaning.kind === 'pass') return `${code}: ${meaning.why}. Start the doctor again in a few minutes.`;
  if (!['fall back', 'shorten', 'mistake'].includes(meaning.kind)) return `${code}: ${reasonFor(error)}`;
  const lines = error instanceof ResponseUrlError ? [error.answer] : linesOf(error);
  return `${[code, ...new Set(lines.map((line) => line.replace(/^\[ERROR\] /, '')))].join(': ')}. ${otherwise}`;
}

/** Slack's details of what is wrong. */
function linesOf(error: unknown): string[] {
  if (!(error instanceof webApi.WebAPIPlatformError)) return [];
  const { errors, response_metadata } = error.data as { errors?: unknown; response_metadata?: { messages?: unknown } };
  return [errors, response_metadata?.messages].flatMap((lines) => (Array.isArray(lines) ? lines.map(String) : []));
}

/** Takes everything back, the last first: replies before the message that they stand under. */
async function clean({ undo, call, say, signal }: Live): Promise<void> {
  const left: string[] = [];
  for (const [what, take] of undo.splice(0).reverse())
    await call(take).catch((error: unknown) => {
      if (!isGone(error, 'message', 'file')) left.push(`${what} (${reasonFor(error)})`);
    });
  const ended = signal.aborted ? 'Stopped. ' : '';
  say(`\n${ended}${left.length === 0 ? 'What was posted is deleted.' : `Please delete by hand: ${left.join('; ')}`}`);
}

/** A line for the terminal. */
export const outcomeLine = ({ what, came, detail }: Outcome): string =>
  `${came.padEnd(12)} ${what.padEnd(22)} ${detail}`;
