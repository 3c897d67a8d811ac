/** The Web API: authentication, the table of methods, and answers in Slack's form. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Core, SlackError } from '../core.ts';
import { readBody } from '../http.ts';
import type { Slack } from '../slack.ts';
import { createCall, type Methods } from './call.ts';
import { createChat } from './chat.ts';
import { createConversations } from './conversations.ts';
import { createUploads, type Uploads } from './files.ts';
import { createUsers } from './users.ts';
import { createViewMethods } from './views.ts';

export interface WebApi {
  uploads: Uploads;
  /** Answers a request to `/api/<method>`. */
  answer(method: string, request: IncomingMessage, response: ServerResponse): Promise<void>;
}

export function createWebApi(slack: Slack): WebApi {
  const { core } = slack;
  const uploads = createUploads(slack);
  const methods: Methods = {
    ...createChat(slack),
    ...createConversations(slack),
    ...createUsers(slack),
    ...createViewMethods(slack),
    ...uploads.methods,
    'api.test': { run: () => ({}) },
    'apps.connections.open': { run: () => ({ url: slack.socket.ticket() }) },
  };

  const run = (method: string, token: string | undefined, given: Record<string, unknown>): Record<string, unknown> => {
    const found = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (!found) {
      core.problem(`unknown method ${method}`);
      throw new SlackError('unknown_method', { req_method: method });
    }
    if (method !== 'api.test') checkToken(core, method, token, found.scope);
    return found.run(createCall(slack, method, given));
  };

  return {
    uploads,
    answer: (method, request, response) =>
      core.busy(async () => {
        const { fields } = await readBody(request);
        const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
        const { token: inBody, ...given } = fields;
        let answer: Record<string, unknown>;
        let status = 200;
        let headers: Record<string, string> = {};
        try {
          answer = { ok: true, ...run(method, bearer ?? (typeof inBody === 'string' ? inBody : undefined), given) };
          core.record(method, readable(given));
        } catch (error) {
          if (!(error instanceof SlackError)) throw error;
          ({ answer, status, headers } = error);
          core.record(method, readable(given), error.message);
        }
        response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
        response.end(JSON.stringify(answer));
      }),
  };
}

function checkToken(core: Core, method: string, token: string | undefined, scope: string | string[] | undefined): void {
  if (token === undefined) throw new SlackError('not_authed');
  const isForApp = method === 'apps.connections.open';
  if (token !== core.botToken && token !== core.appToken) throw new SlackError('invalid_auth');
  if (isForApp !== (token === core.appToken)) throw new SlackError('not_allowed_token_type');
  const { scopes } = core.options;
  const wanted = scope === undefined ? [] : [scope].flat();
  if (scopes && wanted.length > 0 && !wanted.some((each) => scopes.includes(each))) {
    core.problem(`${method} needs the scope ${wanted.join(' or ')}`);
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
