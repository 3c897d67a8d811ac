import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HOURLY_TOO_OLD, STATISTICS_TOO_OLD } from '../../src/platform/dates.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const DAY = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);

/** The lists of names. */
const NAMES = ['/pullzone', '/compute/script', '/mc/apps', '/database/v2/databases'];

/** What is typed, and what the person reads of it. */
type Case = [line: string, ...reads: (string | RegExp)[]];

/** Wrong by itself: nobody has to be asked. */
const wrong: Record<string, Case[]> = {
  'a command': [
    ['ssl froce x on', 'There is no command “ssl froce”.', 'Did you mean /edge ssl force?'],
    ['sls force x on', 'There is no command “sls', 'Did you mean /edge ssl'],
    ['app', /app list[\s\S]*app delete/],
    ['app frobnicate', 'There is no command “app frobnicate”.', '/edge app delete'],
    ['qwertyuiop', 'There is no command “qwertyuiop”.', '/edge help shows what there is.'],
  ],
  'a flag': [
    ['stats show --hourley', 'stats show has no --hourley.', 'Did you mean --hourly?', '/edge help stats show'],
    ['key list --zzz 3', 'key list has no --zzz.', '/edge help key list'],
    [
      'block add shop 1.2.3.4 --for 2h --watch',
      /^block has no --watch: whoever it keeps out could have it taken back\./,
    ],
    [
      'cache clear shop --for 2h',
      /^cache clear has no --for: Edgewise doesn’t undo it by itself\.(?![\s\S]*I don’t know)/,
    ],
    ['report mute 3 --for 2h', /^report mute has no --for\. Did you mean --duration\?/],
    ['unblock list', 'Did you mean /edge block list?'],
    ['download', 'Did you mean /edge log download?'],
    ['key list --page', '--page needs a value.'],
    ['key list --page 1 --page 2', '--page is given twice.'],
    ['app list "now"', '“now” is one word too many.'],
    ['ssl force "cdn.example.com on', 'is not closed'],
  ],
  'a number': [
    ['key list --page 0', 'Page must be between 1 and 2147483647, not 0.'],
    ['key list --page 2147483648', 'between 1 and 2147483647'],
    ['key list --per-page 4', 'Keys per page must be between 5 and 1000, not 4.'],
    ['key list --per-page 1001', 'between 5 and 1000'],
    ['key list --page 1.5', 'Page must be a whole number, not “1.5”.'],
    ['log search 308001 --limit 10001', 'between 1 and 10000'],
  ],
  'a date': [
    ['errors show 308001 02-30-2026', '“02-30-2026” is not in the calendar.', 'YYYY-MM-DD'],
    ['errors show 308001 30-11-2026', 'months come first', 'write 2026-11-30'],
    ['errors show 308001 tomorrow', '“tomorrow” is not a day.', 'today, yesterday'],
    ['errors show 308001 2999-01-01', 'has not begun yet'],
    ['stats show --from 2026-13-01', 'there is no month 13', 'write 2026-01-13'],
    ['stats show --from 2026-02-29', 'is not in the calendar'],
    ['stats show --from someday', '“someday” is not a date.', 'monday, 7d'],
    ['stats show --from 2026-01-01T25:00', 'no valid time of day'],
    ['log download 308001 31.12.2026', 'is not a day'],
    ['token create shop --expiry 2020-01-01', 'is in the past'],
    ['token create shop --expiry soon', '“soon” is not an expiry.', '30d'],
  ],
  'a range of dates': [
    [`stats show --from ${daysAgo(60)} --to ${daysAgo(50)} --hourly`, HOURLY_TOO_OLD],
    [`stats show --from ${daysAgo(500)} --to ${daysAgo(490)}`, STATISTICS_TOO_OLD],
    [`stats show --from ${daysAgo(500)} --to ${daysAgo(490)} --hourly`, HOURLY_TOO_OLD],
    [`stats show --from ${daysAgo(5)} --to ${daysAgo(9)}`, 'The range ends before it starts.', 'Swap'],
    [`stats show --from ${daysAgo(60)} --to ${daysAgo(1)}`, 'at most 40 days'],
    ['stats show --exact-range', 'works with hourly statistics only', '--hourly'],
    ['stats show --load-latest', 'need both dates', '--from'],
    [`stats show --load-latest --from ${daysAgo(9)} --to ${daysAgo(3)}`, 'at most 1 day'],
  ],
  'a hostname': [
    ['ssl force not_a/host on', 'hostname'],
    ['ssl force http:// on', 'hostname'],
    ['certificate request "cdn example.com"', 'hostname'],
    ['certificate request -cdn.example.com', 'hostname'],
    ['certificate request cdn..example.com', 'hostname'],
    ['certificate request a.*.example.com', /\*|wildcard/i],
  ],
  'an id': [
    ['errors show 0', '0 cannot be the id of a pull zone'],
    ['errors show -5', '-5 cannot be the id of a pull zone'],
    ['errors show 12.5', '12.5 cannot be the id of a pull zone'],
    ['errors show 99999999999999999999', 'cannot be the id of a pull zone'],
    ['variable list 007', '007 cannot be the id of a'],
    ['bot list shield:abc', '“abc” cannot be the id of a shield zone'],
    ['guardian upload shop --file nothing', "“nothing” is not a file's id."],
  ],
  'a name of a list': [
    ['ssl force cdn.example.com maybe', 'State must be one of on, off, not “maybe”.'],
    ['bot set shop robots block', '“robots” is not a bot category.', 'AIScraper'],
    ['bot set shop 8 block', '“8” is not a bot category.', '0 to 7'],
    ['bot set shop system block', 'System (255) cannot be set', '0 to 7'],
    ['bot set shop 255 block', 'System (255) cannot be set'],
    ['bot set shop seo ignore', 'cannot be set to Ignore', 'single bots only'],
    ['bot set shop seo deny', '“deny” is not an action', 'none, block or allow'],
    ['log search 308001 --cache warm', 'warm', 'MISS'],
    ['log search 308001 --status 999', '“999” is not an HTTP status.'],
    ['log search 308001 --country Germany', 'is not a country'],
    ['log search 308001 --ip 300.1.1.1', 'is not an IP address'],
    ['log search 308001 --order up', 'Order must be one of desc, asc'],
    ['stats show --hourly=maybe', 'must be on or off, not “maybe”'],
  ],
  SQL: [
    ['database query shop DROP TABLE orders', /read|SELECT/],
    ['database query shop SELECT 1; DELETE FROM orders', 'one at a time'],
  ],
};

/** Right by itself, but the platform's lists know better. */
const unknown: Case[] = [
  ['zone show main-sight', 'There is no pull zone “main-sight”.', 'Did you mean main-site?', '/edge zone list'],
  ['ssl force cdn.exmaple.com on', 'cdn.exmaple.com', 'Did you mean cdn.example.com?'],
  ['variable list geo-redirekt', 'Did you mean geo-redirect?', '/edge script list'],
  ['app delete stock-app', 'Did you mean stock-api?', '/edge app list'],
  ['database query shoop SELECT 1', 'Did you mean shop?', '/edge database list'],
  ['bot set docks seo block', 'Did you mean docs?'],
  ['bot set docs-that-are-nowhere seo block', 'There is no pull zone'],
  ['zone show sta', 'There is no pull zone “sta”.', 'Did you mean staging or status-page'],
  ['bot set staging seo block', 'has no shield zone', 'shield:<id>'],
  ['log search 308001 --from 5d', 'kept for 3 days'],
  [`log download 308001 ${daysAgo(6)}`, 'kept for 3 days'],
];

describe('what people type wrong', () => {
  let workspace: TestWorkspace;

  beforeAll(async () => {
    workspace = await startTestWorkspace();
  });
  afterAll(() => workspace.close());
  beforeEach(() => void workspace.platform.requests.splice(0));

  /** Types the line and gives what came of it: in a form that opened, or in the conversation. */
  async function answerTo(line: string): Promise<string> {
    const ada = workspace.slack.person('ada');
    const ops = ada.in('#ops');
    const isDestructive = /^app delete/.test(line);
    await ops.type(`/edge ${line}`);
    if (!isDestructive) return (await ops.expectMessage(/[\s\S]/)).text;
    const form = await ada.expectModal(/./);
    const text = (await form.expectChange(/There is no/)).text;
    await form.close();
    return text;
  }

  function expectAll(text: string, reads: (string | RegExp)[]): void {
    for (const wanted of reads) expect(text).toMatch(wanted);
    expect(text).not.toMatch(/undefined|\[object|inside Edgewise/);
    expect(workspace.slack.problems).toEqual([]);
  }

  for (const [what, cases] of Object.entries(wrong)) {
    describe(`${what}`, () => {
      for (const [line, ...reads] of cases) {
        it(`explains “${line}” and asks the platform nothing`, async () => {
          expectAll(await answerTo(line), reads);
          // What is no command may be a request in plain words, which speaks of things by their names.
          const isForNames = ({ method, path }: { method: string; path: string }) =>
            what === 'a command' && method === 'GET' && NAMES.includes(path);
          expect(workspace.platform.requests.filter((request) => !isForNames(request))).toEqual([]);
        });
      }
    });
  }

  describe('what does not exist', () => {
    for (const [line, ...reads] of unknown) {
      it(`explains “${line}” after a look at the lists, and sends nothing else`, async () => {
        expectAll(await answerTo(line), reads);
        const lists =
          /^\/(pullzone|compute\/script|mc\/apps|database\/v\d\/databases|database|shield\/shield-zones\/pullzone-mapping)/;
        for (const { method, path } of workspace.platform.requests) {
          expect(method).toBe('GET');
          expect(path).toMatch(lists);
        }
        expect(workspace.platform.writes()).toEqual([]);
      });
    }
  });
});
