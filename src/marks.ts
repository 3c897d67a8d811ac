import type { ServerResponse } from 'node:http';
import * as z from 'zod';
import { UsageError } from './errors.ts';
import { resolveZone } from './operations/arguments/resources/zones.ts';
import type { Catalogue } from './operations/catalogue.ts';
import { parseJson } from './platform/bodies.ts';
import type { Secret } from './secret.ts';
import { createAllowances } from './slack/in/allowance.ts';
import { bodyOf, isBearer, RefusedRequest, type Route } from './slack/in/http-server.ts';
import type { Marks } from './store/marks.ts';

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
  services: () => { marks: Marks; catalogue: Catalogue } | undefined,
): Route {
  const noMark =
    'That is not a mark. Send JSON such as {"text":"deploy 4f2a of checkout","zone":"shop","url":"https://…"}; zone and url may be left out.';
  // Enough for deploys of many services at once, but not for a loop.
  const allowances = createAllowances({ burst: 30, perSecond: 0.5, underway: 10 });
  return async (request, response) => {
    // Before anything is read, and without a reason.
    if (!isBearer(token, request)) throw new RefusedRequest(401, 'token');
    const there = services();
    if (there === undefined) throw new RefusedRequest(503, 'starting');
    if (allowances.begin('marks') !== 'begun') return answer(response, 429, 'Too many marks. Try again in a minute.');
    try {
      const given = mark.safeParse(parseJson((await bodyOf(request, 1_000)).toString('utf8')));
      if (!given.success) return answer(response, 400, noMark);
      const { text, zone, url = null } = given.data;
      const found = zone === undefined ? null : await resolveZone(zone, { ...there, may: () => true });
      await there.marks.add({ text, zone: found?.Id ?? null, url });
      response.writeHead(204).end();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      answer(response, 400, `${error.message} ${error.hint ?? ''}`.trim());
    } finally {
      allowances.end('marks');
    }
  };
}

function answer(response: ServerResponse, status: number, words: string): void {
  const headers = { 'content-type': 'text/plain; charset=utf-8', ...(status === 429 ? { 'retry-after': '60' } : {}) };
  response.writeHead(status, headers).end(`${words}\n`);
}
