import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOURLY_TOO_OLD, STATISTICS_TOO_OLD } from '../../src/platform/dates.ts';
import { type Canned, type CannedPlatform, startCannedPlatform } from '../support/canned-platform.ts';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

/** An answer of the platform, the line that meets it, and all that the person must be able to read of it. */
interface Case {
  what: string;
  line: string;
  route: string;
  canned: Canned;
  /** Set for a change: its button is pressed. */
  confirm?: true;
  reads: (string | RegExp)[];
}

const KEYS = { line: 'key list', route: 'GET /api/apikey' };
const VOLUMES = { line: 'volume list app-12345678', route: 'GET /api/mc/apps/app-12345678/volumes' };
const FORCE = {
  line: 'ssl force cdn.example.com on --zone 7',
  route: 'POST /api/pullzone/7/setForceSSL',
  confirm: true,
} as const;
const BOTS = {
  line: 'bot set shield:9 seo block',
  route: 'PUT /api/shield/shield-zone/9/bot-categorization/categories/1',
  confirm: true,
} as const;
/** A zone of its own: after a 429 the bot leaves a zone alone for a while. */
const searchOf = (zone: number) => ({ line: `log search ${zone}`, route: `GET /logging/v2/pullzones/${zone}/logs` });
const STATS = { line: 'stats show', route: 'GET /api/statistics' };
const QUERY = { line: 'database query configured SELECT 1', route: 'POST /v2/pipeline' };

const yesterday = (): string => {
  const iso = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  return `${iso.slice(5)}-${iso.slice(0, 4)}`;
};
const ORIGIN = { line: 'errors show 7 yesterday', route: `GET /origin/7/${yesterday()}` };

const problemDetails = {
  type: 'https://example.net/problems/conflict',
  title: 'Conflict',
  status: 409,
  detail: 'The application is being deployed.',
  instance: '/mc/apps/app-12345678/volumes',
};
const validation = {
  title: 'One or more validation errors occurred.',
  status: 400,
  detail: 'The request is not valid.',
  instance: '/mc/apps/app-12345678/volumes',
  errors: [
    { message: 'The id is malformed.', field: 'appId' },
    { message: 'The region is unknown.', field: 'region' },
  ],
  id: 'val-77',
};
const envelope = (statusCode: number) => ({
  data: null,
  error: { statusCode, success: false, message: 'Please upgrade to Advanced.', errorKey: 'invalid_plan_type' },
});
const logCodes: [status: number, code: string, reads: (string | RegExp)[]][] = [
  [400, 'invalid_request', ['/edge help log search']],
  [401, 'unauthorized', ['PLATFORM_ACCESS_KEY']],
  [403, 'forbidden', [/credentials of the log service are wrong, or the pull zone is suspended or disabled/]],
  [404, 'logging_disabled', ['Logging is off']],
  [429, 'rate_limited', ['Wait a little']],
  [500, 'internal_error', ['fault on the platform’s side']],
];

const cases: Case[] = [
  {
    what: 'problem details',
    ...VOLUMES,
    canned: { status: 409, body: problemDetails, headers: { 'content-type': 'application/problem+json' } },
    reads: ['The application is being deployed.', 'status 409', 'instance /mc/apps/app-12345678/volumes'],
  },
  {
    what: 'a validation problem',
    ...VOLUMES,
    canned: { status: 400, body: validation },
    reads: [
      'The request is not valid.',
      'appId: The id is malformed.',
      'region: The region is unknown.',
      'id val-77',
      'status 400',
    ],
  },
  {
    what: 'a pull zone error',
    ...FORCE,
    canned: {
      status: 400,
      body: { ErrorKey: 'pullzone.hostname_not_found', Field: 'Hostname', Message: 'The hostname was not found.' },
    },
    reads: [
      'The hostname was not found.',
      'pullzone.hostname_not_found',
      'field Hostname',
      'status 400',
      'Nothing was changed.',
    ],
  },
  {
    what: 'an envelope error',
    ...BOTS,
    canned: { status: 403, body: envelope(403) },
    reads: ['Please upgrade to Advanced.', 'invalid_plan_type', 'status 403', 'Nothing was changed.'],
  },
  {
    what: 'an envelope error that HTTP calls a 202',
    ...BOTS,
    canned: { status: 202, body: envelope(403) },
    reads: ['Please upgrade to Advanced.', 'status 403', 'HTTP 202', 'Nothing was changed.'],
  },
  {
    what: 'problem details that HTTP calls a 202',
    ...BOTS,
    canned: { status: 202, body: { ...problemDetails, status: 422, detail: 'Not on this plan.' } },
    reads: ['Not on this plan.', 'status 422', 'HTTP 202'],
  },
  ...logCodes.flatMap(([status, code, reads], index): Case[] => [
    {
      what: `the log service’s ${code}, the code at the top`,
      ...searchOf(100 + index),
      canned: { status, body: { code } },
      reads: [...reads, code, `status ${status}`],
    },
    {
      what: `the log service’s ${code}, the code inside`,
      ...searchOf(200 + index),
      canned: { status, body: { error: { code, message: 'In its own words.', details: ['limit is odd'] } } },
      reads: ['In its own words.', '• limit is odd', code, `status ${status}`, ...reads.slice(1)],
    },
  ]),
  {
    what: 'the platform’s word that hourly statistics are too old',
    ...STATS,
    canned: { status: 400, body: { ErrorKey: 'range', Field: 'dateFrom', Message: HOURLY_TOO_OLD } },
    reads: [HOURLY_TOO_OLD, 'field dateFrom'],
  },
  {
    what: 'the platform’s word that statistics are too old',
    ...STATS,
    canned: { status: 400, body: STATISTICS_TOO_OLD },
    reads: [STATISTICS_TOO_OLD],
  },
  {
    what: 'a 401 of the management API',
    ...KEYS,
    canned: { status: 401, body: { Message: 'Authorization has been denied for this request.' } },
    reads: ['Authorization has been denied for this request.', 'missing, wrong or revoked', 'status 401'],
  },
  {
    what: 'a 401 of the origin error log service without a body',
    ...ORIGIN,
    canned: { status: 401 },
    reads: ['It answered 401 (Unauthorized).', 'missing, wrong or revoked'],
  },
  {
    what: 'a 401 of a database',
    ...QUERY,
    canned: { status: 401, body: { error: 'The token is revoked.' } },
    reads: ['The token is revoked.', 'status 401'],
  },
  {
    what: 'a 504 of a database',
    ...QUERY,
    canned: { status: 504, body: { error: 'The query was stopped.' } },
    reads: ['The query was stopped.', 'The query took too long, so I stopped waiting', 'status 504'],
  },
  {
    what: 'an SQL error inside a 200',
    ...QUERY,
    line: 'database query configured SELECT * FROM x',
    canned: { body: { results: [{ type: 'error', error: { message: 'no such table: x', code: 'SQLITE_ERROR' } }] } },
    reads: ['The database refused the statement: no such table: x.', 'SQLITE_ERROR'],
  },
  {
    what: 'a 415',
    ...BOTS,
    canned: { status: 415, body: { title: 'Unsupported Media Type', status: 415 } },
    reads: ['Unsupported Media Type', 'status 415', 'Nothing was changed.'],
  },
  {
    what: 'a 429 with a time to wait, to a change',
    ...FORCE,
    canned: { status: 429, headers: { 'retry-after': '5' }, body: { Message: 'Slow down.' } },
    reads: ['Slow down.', 'Try again in 5 seconds. I don’t retry it for you.', 'Nothing was changed.'],
  },
  {
    what: 'a 429 with a longer time to wait, to a read',
    ...KEYS,
    canned: { status: 429, headers: { 'retry-after': '60' } },
    reads: ['It answered 429 (Too Many Requests).', 'Try again in 60 seconds.'],
  },
  {
    what: 'a web page instead of an answer, to a read',
    ...KEYS,
    canned: { body: '<html><body>One moment</body></html>', headers: { 'content-type': 'text/html' } },
    reads: ['cannot be read', 'answered with a web page, not the API', 'GET /api/apikey'],
  },
  {
    what: 'a web page as an error',
    ...KEYS,
    canned: { status: 500, body: '<html><body>Oops</body></html>', headers: { 'content-type': 'text/html' } },
    reads: ['It answered 500 (Internal Server Error) with a web page.', 'fault on the platform’s side'],
  },
  {
    what: 'JSON that ends in the middle',
    ...KEYS,
    canned: { body: '{"Items":[{"Id":1' },
    reads: ['cannot be read', 'not the expected JSON, or is incomplete'],
  },
  {
    what: 'JSON of another shape',
    ...KEYS,
    canned: { body: { Items: 'none' } },
    reads: ['cannot be read', 'an answer without a usable “Items”'],
  },
  { what: 'nothing at all', ...KEYS, canned: { status: 200 }, reads: ['cannot be read'] },
  { what: 'an error without a body', ...KEYS, canned: { status: 418 }, reads: ['It answered 418', 'status 418'] },
  { what: 'an error in words alone', ...KEYS, canned: { status: 400, body: 'Out of order' }, reads: ['Out of order'] },
  {
    what: 'a connection that is cut, to a read',
    ...KEYS,
    canned: (response) => void response.socket?.destroy(),
    reads: ['did not answer', 'was lost', 'Nothing was changed.'],
  },
];

describe('what the platform says wrong', () => {
  let canned: CannedPlatform;
  let workspace: TestWorkspace;

  beforeAll(async () => {
    canned = await startCannedPlatform();
    workspace = await startTestWorkspace({ environment: canned.environment });
  });
  afterAll(async () => {
    await workspace.close();
    await canned.close();
  });

  for (const { what, line, route, canned: answer, confirm, reads } of cases) {
    it(`tells the person of ${what}`, async () => {
      canned.answer(route, answer);
      const ops = workspace.slack.person('ada').in('#ops');
      await ops.type(`/edge ${line}`);
      let card = await ops.expectMessage(/[\s\S]/);
      if (confirm === true) {
        await card.click(CONFIRM);
        card = await card.expectChange(/platform/);
      }
      const text = card.text;
      for (const wanted of reads) expect(text).toMatch(wanted);
      expect(text).not.toMatch(/undefined|\[object|inside Edgewise/);
      expect(card.fallback).not.toBe('');
      const asked = canned.requests.splice(0).filter((request) => request.split('?', 1)[0] === route);
      expect(asked.length).toBeGreaterThan(0);
      if (!route.startsWith('GET')) expect(asked).toHaveLength(1);
      expect(workspace.slack.problems).toEqual([]);
    });
  }
});
