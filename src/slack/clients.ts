import { inspect } from 'node:util';
import { LogLevel, type Logger as SlackLogger, webApi } from '@slack/bolt';
import type { Logger } from 'pino';
import { fetch, type RequestInit, Response } from 'undici';
import { countOf } from '../blocks/format.ts';
import { routes } from '../network.ts';
import { type Observe, timed } from '../observe.ts';
import { parseRetryAfter } from '../platform/refusal.ts';
import { POST_TIMEOUT } from '../reports/post.ts';
import type { Secret } from '../secret.ts';
import { StartError } from '../start-error.ts';
import { MINUTE } from '../time.ts';
import { hostsOf, isSlacks, type SlackHosts } from './hosts.ts';
import { PAGE, SlackRefusedError } from './patience.ts';
import { refusalOf, withMethod } from './refusals.ts';

/** In milliseconds. How long a call may take for which somebody waits. */
export const TIMEOUT = 10_000;

export interface Identity {
  teamId: string;
  userId: string;
  botId: string;
  /** The workspace’s address. */
  address?: string | undefined;
}

/** Answers fail fast, so that none is posted twice. Background posts may take longer. */
export interface Clients {
  interactive: webApi.WebClient;
  background: webApi.WebClient;
}

export interface Asking {
  client: webApi.WebClient;
  now: () => Date;
  log: Logger;
  /** The present id of a channel whose id has changed. */
  channelOf?: (id: string) => string;
}

export interface TimedClients extends Clients {
  /** By how many milliseconds Slack’s clock was ahead at its last answer. Undefined before the first. */
  ahead(): number | undefined;
}

/** A kept connection may close just when a call is made. These calls change nothing, so they are tried again. */
const READS: ReadonlySet<string> = new Set([
  'auth.test',
  'conversations.info',
  'conversations.list',
  'files.info',
  'usergroups.list',
  'users.info',
]);
const isCutOff = (error: unknown): boolean =>
  error instanceof webApi.WebAPIRequestError &&
  [error.original, error.original.cause].some((one) =>
    ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes((one as { code?: string } | undefined)?.code ?? ''),
  );

export const timedCall = <T>(observe: Observe | undefined, method: string, call: () => Promise<T>): Promise<T> =>
  timed(observe, 'slack', call, (ended) => ({
    method,
    error: 'result' in ended ? 'none' : (refusalOf(ended.error)?.code ?? 'other'),
  }));

/** Adds the method to errors, because the same code may mean two things. */
class NamingClient extends webApi.WebClient {
  observe: Observe | undefined;
  /** The present id of a channel whose id has changed. */
  channelOf: (id: string) => string = (id) => id;

  override apiCall(...[method, options]: Parameters<webApi.WebClient['apiCall']>) {
    return timedCall(this.observe, method, () => this.#call(method, this.#present(options)));
  }

  #present(options: Record<string, unknown> | undefined): typeof options {
    const named = ['channel', 'channel_id'].flatMap((key) => {
      const id = options?.[key];
      return typeof id === 'string' ? [[key, this.channelOf(id)] as const] : [];
    });
    return named.length === 0 ? options : { ...options, ...Object.fromEntries(named) };
  }

  async #call(...[method, options]: Parameters<webApi.WebClient['apiCall']>) {
    try {
      return await super.apiCall(method, options).catch((error: unknown) => {
        if (!READS.has(method) || !isCutOff(error)) throw error;
        return super.apiCall(method, options);
      });
    } catch (error) {
      throw withMethod(error, method);
    }
  }
}

export function createClients(
  token: Secret,
  apiUrl: string,
  log?: Logger,
  now = () => new Date(),
  observe?: Observe,
  channelOf: (id: string) => string = (id) => id,
): TimedClients {
  let ahead: number | undefined;
  const heard = (response: Response) => {
    const difference = Date.parse(response.headers.get('date') ?? '') - now().getTime();
    if (Number.isFinite(difference)) ahead = difference;
  };
  const options = {
    slackApiUrl: `${apiUrl}/`,
    fetch: fetchFrom(hostsOf(apiUrl), heard),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: createLibraryLog(log),
  };
  const client = (timeout: number) =>
    Object.assign(new NamingClient(token.reveal(), { ...options, timeout }), { observe, channelOf });
  return {
    interactive: client(TIMEOUT),
    background: client(POST_TIMEOUT),
    ahead: () => ahead,
  };
}

/** Every call carries the token, so only Slack’s hosts are called. */
function fetchFrom(hosts: SlackHosts, heard: (response: Response) => void): webApi.FetchFunction {
  return async (address, init) => {
    const isOwn = isSlacks(hosts, 'api', String(address)) || isSlacks(hosts, 'files', String(address));
    if (!isOwn) throw new Error('an address that is not Slack’s gets nothing');
    // A file comes in Node’s own form data, which only Node’s fetch reads. Using that for the rest would load a second
    // undici.
    const send = typeof init?.body === 'string' ? fetch : (globalThis.fetch as typeof fetch);
    const response = await send(address, { ...init, dispatcher: routes() } as RequestInit);
    heard(response);
    const { status, headers } = response;
    const [after, type] = [headers.get('retry-after') ?? '', headers.get('content-type') ?? ''];
    // Slack's client takes only seconds.
    if (status === 429 && !/^\d/.test(after))
      return new Response(null, { status, headers: { 'retry-after': `${parseRetryAfter(after, Date.now()) ?? 1}` } });
    // A proxy's page is not an answer.
    return status !== 429 && /^text\/html/i.test(type)
      ? new Response(null, { status: 503, statusText: PAGE })
      : response;
  };
}

/** Also compares clocks. Throws SlackRefusedError for an organisation’s token, and StartError for a clock that is far off. */
export async function identify({ interactive, ahead }: Pick<TimedClients, 'interactive' | 'ahead'>): Promise<Identity> {
  const { team_id, user_id, bot_id, url, is_enterprise_install } = await interactive.auth.test();
  checkClock(ahead() ?? 0);
  if (is_enterprise_install === true || team_id?.startsWith('E') === true)
    throw new SlackRefusedError(
      'The app is installed for a whole organisation, and Edgewise serves one workspace of it. Switch organisation-wide deployment off in the app’s settings, install the app in that workspace, and set SLACK_BOT_TOKEN to the token that Slack shows then.',
    );
  if (team_id === undefined || user_id === undefined || bot_id === undefined)
    throw new Error('Slack does not say who the bot is');
  return { teamId: team_id, userId: user_id, botId: bot_id, address: url };
}

function checkClock(ahead: number): void {
  if (Math.abs(ahead) <= 5 * MINUTE) return;
  const minutes = Math.round(Math.abs(ahead) / MINUTE);
  throw new StartError(
    'settings',
    `This machine’s clock is ${countOf(minutes, 'minute')} ${ahead > 0 ? 'slow' : 'fast'}, compared with Slack’s. Set it (\`timedatectl set-ntp true\`). Otherwise Edgewise refuses Slack’s requests as too old and posts its reports late.`,
  );
}

/** Slack’s libraries would write to the console. Without `log` they are silent. */
export function createLibraryLog(log?: Logger): SlackLogger {
  return {
    debug: () => undefined,
    info: (...parts) => log?.debug(said(parts), 'Slack’s library'),
    warn: (...parts) => log?.warn(said(parts), 'Slack’s library'),
    error: (...parts) => log?.error(said(parts), 'Slack’s library'),
    setLevel: () => undefined,
    setName: () => undefined,
    getLevel: () => LogLevel.INFO,
  };
}

function said(parts: unknown[]): { said: string } {
  const words = parts.map((part) =>
    typeof part === 'string' ? part : inspect(part, { depth: 2, breakLength: Number.POSITIVE_INFINITY }),
  );
  return { said: words.join(' ').slice(0, 1_000) };
}

/** Reads at most `most` pages of one of Slack’s lists. */
export async function* pagesOf<P extends { response_metadata?: { next_cursor?: string } | undefined }>(
  most: number,
  read: (more: { cursor?: string }) => Promise<P>,
): AsyncGenerator<P, void> {
  let more = {};
  for (let page = 0; page < most; page += 1) {
    const answer = await read(more);
    yield answer;
    const cursor = answer.response_metadata?.next_cursor;
    if (!cursor) return;
    more = { cursor };
  }
}
