/** The Web API: authentication, the table of methods, and answers in Slack's form. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { addProblem, record, whileBusy } from '../changes.ts';
import { fail, takeFault } from '../faults.ts';
import { readBody } from '../http.ts';
import { type Slack, SlackError } from '../slack.ts';
import { issueSocketUrl } from '../socket-mode.ts';
import { type Call, type Methods, needScope } from './call.ts';
import { chatMethods } from './chat.ts';
import { conversationMethods } from './conversations.ts';
import { fileMethods } from './files.ts';
import { reactionMethods } from './reactions.ts';
import { userMethods } from './users.ts';
import { viewMethods } from './views.ts';

const METHODS: Methods = {
  ...chatMethods,
  ...conversationMethods,
  ...fileMethods,
  ...reactionMethods,
  ...userMethods,
  ...viewMethods,
  'api.test': { run: () => ({}) },
  'apps.connections.open': { run: ({ slack, fault }) => ({ url: issueSocketUrl(slack, fault) }) },
};

/** Answers a request to `/api/<method>`. */
export function answerApi(
  slack: Slack,
  method: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  return whileBusy(slack, async () => {
    const { fields } = await readBody(request);
    const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const { token: inBody, ...given } = fields;
    const fault = takeFault(slack, method);
    if (fault && !fault.isAfter && (await fail(slack, fault.outcome, response))) {
      if ('error' in fault.outcome) record(slack, method, readable(given), fault.outcome.error);
      return;
    }
    const token = bearer ?? (typeof inBody === 'string' ? inBody : undefined);
    const own = slack.apps.find(({ botToken, appToken }) => token === botToken || token === appToken) ?? slack;
    const call: Call = { slack: own, method, given, token, fault: fault?.outcome };
    let answer: Record<string, unknown>;
    let status = 200;
    let headers: Record<string, string> = {};
    try {
      answer = { ok: true, ...run(call) };
      record(slack, method, readable(given));
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      ({ answer, status, headers } = error);
      record(slack, method, readable(given), error.message);
    }
    if (fault?.isAfter && (await fail(slack, fault.outcome, response))) return;
    const type = { 'content-type': 'application/json; charset=utf-8' };
    response.writeHead(status, { ...type, ...scopeHeaders(call), ...headers });
    response.end(JSON.stringify({ ...answer, ...warningOf(request, answer) }));
  });
}

function run(call: Call): Record<string, unknown> {
  const { slack, method } = call;
  const found = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (!found) {
    addProblem(slack, `unknown method ${method}`);
    throw new SlackError('unknown_method', { req_method: method });
  }
  if (method !== 'api.test') checkToken(call);
  needScope(call, ...acceptedScopes(method));
  return found.run(call);
}

function checkToken({ slack, method, token }: Call): void {
  if (token === undefined) throw new SlackError('not_authed');
  if (token !== slack.botToken && token !== slack.appToken) throw new SlackError('invalid_auth');
  const isForApp = method === 'apps.connections.open';
  if (method !== 'auth.test' && isForApp !== (token === slack.appToken)) throw new SlackError('not_allowed_token_type');
}

/** The scopes of which the method needs one. */
function acceptedScopes(method: string): string[] {
  const { scope = [] } = METHODS[method] ?? {};
  return [scope].flat();
}

/** Slack says with every answer which scopes the token has, and which the method takes. */
function scopeHeaders({ slack, method, token }: Call): Record<string, string> {
  if (token !== slack.botToken) return {};
  const every = new Set(['app_mentions:read', 'commands', ...Object.keys(METHODS).flatMap(acceptedScopes)]);
  const given = slack.options.scopes ?? [...every];
  const accepted = acceptedScopes(method);
  return {
    'x-oauth-scopes': given.join(','),
    ...(accepted.length > 0 ? { 'x-accepted-oauth-scopes': accepted.join(',') } : {}),
  };
}

/** JSON whose charset is not said is taken, with a warning. */
function warningOf(
  { headers }: IncomingMessage,
  { response_metadata }: Record<string, unknown>,
): Record<string, unknown> {
  if (headers['content-type'] !== 'application/json') return {};
  const metadata = typeof response_metadata === 'object' ? response_metadata : {};
  return { warning: 'missing_charset', response_metadata: { ...metadata, warnings: ['missing_charset'] } };
}

/** The arguments with JSON text read, so that a test can look into them. */
function readable(given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (typeof value !== 'string' || !/^[[{]/.test(value)) return [name, value];
      try {
        return [name, JSON.parse(value)];
      } catch {
        return [name, value];
      }
    }),
  );
}
