import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Catalogue } from './operations/catalogue.ts';
import { toType } from './own-name.ts';
import type { Secret } from './secret.ts';
import { begin, createAllowances, end } from './slack/in/allowance.ts';
import { isBearer, RefusedRequest, type Route } from './slack/in/http-server.ts';
import type { Marks } from './store/marks.ts';

/** Deploys of many services at once, but no loop. */
const ALLOWANCE = { burst: 30, perSecond: 0.5, underway: 10 };

const mark = z.strictObject({
  text: z
    .string()
    .transform((text) => text.replace(/\s+/g, ' ').trim())
    .pipe(z.string().min(1)),
  zone: z.union([z.string(), z.number().int().transform(String)]).optional(),
  url: z
    .url({ protocol: /^https$/ })
    .refine((url) => new URL(url).username === '')
    .optional(),
});

/** `POST /marks`: what others did, for the time line. Undefined `services`: the bot is starting. */
export function createMarksRoute(
  token: Secret,
  services: () => { marks: Marks; catalogue: Pick<Catalogue, 'zones'> } | undefined,
): Route {
  const allowances = createAllowances(ALLOWANCE);
  return async (request, response) => {
    // Before anything is read, and without a word.
    if (!isBearer(token, request)) throw new RefusedRequest(401, 'token');
    const there = services();
    if (there === undefined) throw new RefusedRequest(503, 'starting');
    if (begin(allowances, 'marks') !== 'begun') return answer(response, 429, 'Too many marks. Try again in a minute.');
    try {
      const given = mark.safeParse(jsonOf(await bodyOf(request)));
      if (!given.success)
        return answer(
          response,
          400,
          'That is no mark. Send JSON such as {"text":"deploy 4f2a of checkout","zone":"shop","url":"https://…"}; zone and url may be left out.',
        );
      const { text, zone: typed, url = null } = given.data;
      const zone = typed === undefined ? null : await zoneOf(typed, there.catalogue);
      if (zone === undefined)
        return answer(
          response,
          400,
          `There is no pull zone of that name or id. Write it as ${toType('zone list')} does.`,
        );
      await there.marks.add({ text, zone, url });
      response.writeHead(204).end();
    } finally {
      end(allowances, 'marks');
    }
  };
}

/** Undefined: there is none. Where the list cannot be read, an id is taken as it is. */
async function zoneOf(typed: string, { zones }: Pick<Catalogue, 'zones'>): Promise<number | undefined> {
  for (const fresh of [false, true]) {
    const { items, missing, partial } = await zones({ fresh });
    const found = items.find(({ Id }) => String(Id) === typed) ?? items.find(({ Name }) => Name === typed);
    if (found !== undefined) return found.Id;
    if ((missing ?? partial) !== undefined && /^[1-9]\d{0,14}$/.test(typed)) return Number(typed);
    if (missing !== undefined && fresh) throw new RefusedRequest(503, 'the zones cannot be read');
  }
  return undefined;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  // The connection stays open for the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > 1_000) throw new RefusedRequest(413, 'too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function answer(response: ServerResponse, status: number, words: string): void {
  const headers = { 'content-type': 'text/plain; charset=utf-8', ...(status === 429 ? { 'retry-after': '60' } : {}) };
  response.writeHead(status, headers).end(`${words}\n`);
}
