/** The Web API: authentication, the table of methods, and answers in Slack's form. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { addProblem, record, whileBusy } from '../changes.ts';
import { fail, takeFault } from '../faults.ts';
import { readBody } from '../http.ts';
import { type Slack, SlackError } from '../slack.ts';
import { issueSocketUrl } from '../socket-mode.ts';
import type { Call, Methods } from './call.ts';
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
    let answer: Record<string, unknown>;
    let status = 200;
    let headers: Record<string, string> = {};
    try {
      answer = { ok: true, ...run({ slack, method, given, fault: fault?.outcome }, token) };
      record(slack, method, readable(given));
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      ({ answer, status, headers } = error);
      record(slack, method, readable(given), error.message);
    }
    if (fault?.isAfter && (await fail(slack, fault.outcome, response))) return;
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
    response.end(JSON.stringify(answer));
  });
}

function run(call: Call, token: string | undefined): Record<string, unknown> {
  const { slack, method } = call;
  const found = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (!found) {
    addProblem(slack, `unknown method ${method}`);
    throw new SlackError('unknown_method', { req_method: method });
  }
  if (method !== 'api.test') checkToken(slack, method, token, found.scope);
  return found.run(call);
}

function checkToken(
  slack: Slack,
  method: string,
  token: string | undefined,
  scope: string | string[] | undefined,
): void {
  if (token === undefined) throw new SlackError('not_authed');
  const isForApp = method === 'apps.connections.open';
  if (token !== slack.botToken && token !== slack.appToken) throw new SlackError('invalid_auth');
  if (isForApp !== (token === slack.appToken)) throw new SlackError('not_allowed_token_type');
  const { scopes } = slack.options;
  const wanted = scope === undefined ? [] : [scope].flat();
  if (scopes && wanted.length > 0 && !wanted.some((each) => scopes.includes(each))) {
    addProblem(slack, `${method} needs the scope ${wanted.join(' or ')}`);
    throw new SlackError('missing_scope', { needed: wanted.join(','), provided: scopes.join(',') });
  }
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
