import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTypedText } from '../../../playground/slack/typed-text.ts';
import { createWorkspace } from '../../../playground/slack/workspace.ts';
import { lineOf, readCommand } from '../../../src/operations/grammar.ts';
import { operations } from '../../../src/operations/index.ts';
import { parseCommand, parsePress, parseQuery, parseSender, typedLineOf } from '../../../src/slack/in/payloads.ts';

const BOT = 'U0EDGEWISE1';

describe('who sent a payload, and where', () => {
  const organisation = { id: 'E0ORG', name: '' };
  const button = { type: 'button', block_id: 'b', action_id: 'run', value: 'x', action_ts: '1.2' };

  it.each([
    ['a workspace', { team: { id: 'T0HOME' }, user: { id: 'U0ADA', team_id: 'T0HOME' } }, 'T0HOME'],
    [
      'a workspace of an organisation',
      {
        team: { id: 'T0HOME', enterprise_id: 'E0ORG' },
        enterprise: organisation,
        user: { id: 'W0ADA', team_id: 'T0OTHER' },
      },
      'T0OTHER',
    ],
    [
      'an organisation that installed the app as a whole',
      { team: null, enterprise: organisation, is_enterprise_install: true, user: { id: 'W0ADA', team_id: 'T0HOME' } },
      'T0HOME',
    ],
    ['an organisation, with a person of none', { team: null, enterprise: organisation, user: { id: 'W0ADA' } }, ''],
    ['a connected workspace', { team: { id: 'T0HOME' }, user: { id: 'U0EVE', team_id: 'T0FOREIGN' } }, 'T0FOREIGN'],
  ])('is read from %s', (_, came, teamId) => {
    const userId = came.user.id;
    expect(parseSender({ type: 'view_submission', ...came })).toEqual({ userId, teamId });
    const press = { type: 'block_actions', ...came, trigger_id: '1.2.abc', channel: { id: 'C0OPS', name: '' } };
    expect(parsePress(press, button)?.origin).toMatchObject({ userId, teamId, place: { channelId: 'C0OPS' } });
    expect(parseQuery({ type: 'block_suggestion', ...came }).person).toEqual({ userId, teamId });
  });

  it.each([
    ['a workspace', { team_id: 'T0HOME', user_id: 'U0ADA', is_enterprise_install: 'false' }],
    ['an organisation', { team_id: 'T0HOME', user_id: 'W0ADA', enterprise_id: 'E0ORG', is_enterprise_install: 'true' }],
  ])('is read from a command in %s', (_, came) => {
    const command = {
      command: '/edge',
      text: 'help',
      channel_id: 'C0OPS',
      response_url: '',
      trigger_id: '1.2.a',
      ...came,
    };
    expect(parseCommand(command as never).origin).toMatchObject({ userId: came.user_id, teamId: 'T0HOME' });
  });
});

describe('a press', () => {
  const button = { type: 'button', block_id: 'b', action_id: 'run', value: 'x', action_ts: '1.2' };
  const inMessage = (message: { ts: string; thread_ts?: string }) =>
    parsePress(
      {
        type: 'block_actions',
        team: { id: 'T0HOME' },
        user: { id: 'U0ADA', team_id: 'T0HOME' },
        trigger_id: '1.2.abc',
        channel: { id: 'C0OPS', name: '' },
        container: { type: 'message', ...(message.thread_ts === undefined ? {} : { thread_ts: message.thread_ts }) },
        message,
      },
      button,
    )?.origin.place;

  it('is answered in the channel where the message begins a thread, and in the thread where it is a reply', () => {
    expect(inMessage({ ts: '1.000001' })).toEqual({ channelId: 'C0OPS' });
    expect(inMessage({ ts: '1.000001', thread_ts: '1.000001' })).toEqual({ channelId: 'C0OPS' });
    expect(inMessage({ ts: '1.000002', thread_ts: '1.000001' })).toEqual({ channelId: 'C0OPS', threadTs: '1.000001' });
  });
});

describe('what was typed in a message', () => {
  it.each([
    ['<@U0EDGEWISE1> ssl force <http://cdn.example.com|cdn.example.com> on', 'ssl force cdn.example.com on'],
    ['<@U0EDGEWISE1|edgewise>: help', 'help'],
    ['  <@U0EDGEWISE1>,  help ', 'help'],
    ['help', 'help'],
    ['log search <https://cdn.example.com/a?b=1&amp;c=2>', 'log search https://cdn.example.com/a?b=1&c=2'],
    ['<mailto:ada@example.com|ada@example.com>', 'ada@example.com'],
    ['<tel:+491234|+49 1234>', '+49 1234'],
    ['a &lt;b&gt; &amp;amp; c', 'a <b> &amp; c'],
    ['a\u00a0b', 'a b'],
    ['audit list --actor <@U0ADA000001>', 'audit list --actor <@U0ADA000001>'],
    ['<@U0EDGEWISE1> audit list --actor <@U0EDGEWISE1>', 'audit list --actor <@U0EDGEWISE1>'],
    ['audit list --actor <@U0EDGEWISE1>', 'audit list --actor <@U0EDGEWISE1>'],
    ['<@U0EDGEWISE1> zone show shop <@U0EDGEWISE1>', 'zone show shop'],
    ['please <@U0EDGEWISE1> zone show shop, cheers <@U0EDGEWISE1>!', 'zone show shop, cheers  !'],
    ['zone list <@U0EDGEWISE1>, thank you very much', 'zone list'],
    ['so <@U0EDGEWISE1> help', 'help'],
    ['clear the cache of shop <@U0EDGEWISE1> no, not', 'no, not'],
    ['hey <@U0EDGEWISE1> zone list', 'zone list'],
    ['hey <@U0ADA000001>, <@U0EDGEWISE1>! zone list', 'zone list'],
    ['zone list <@U0EDGEWISE1>', 'zone list'],
    ['<@U0EDGEWISE1>', ''],
    ['*<@U0EDGEWISE1> zone list*', '*zone list*'],
    ['zone\u200b list\ufeff', 'zone list'],
    ['variable add a b "Hi <!here> and <!channel|@channel>"', 'variable add a b "Hi @here and @channel"'],
    ['zone list <!subteam^S0ONCALL01|@oncall>', 'zone list @oncall'],
    ['zone list <!subteam^S0ONCALL01>', 'zone list <!subteam^S0ONCALL01>'],
  ])('is read from %s', (stored, typed) => {
    expect(typedLineOf(stored, BOT)).toBe(typed);
  });

  it.each([
    ['<https://a.example.com/p?x=1&amp;y=2|https://a.example.com/p>', 'https://a.example.com/p?x=1&y=2'],
    ['<https://a.example.com/very/long.js|https://a.example.com/very…>', 'https://a.example.com/very/long.js'],
    ['<https://a.example.com/very/long.js|https://a.example.com/very[...]>', 'https://a.example.com/very/long.js'],
    ['<https://a.example.com/a%20b|a.example.com/a b>', 'https://a.example.com/a%20b'],
    ['<https://a.example.com/|the shop>', 'https://a.example.com/'],
    ['<https://evil.example.org|a.example.com>', 'https://evil.example.org'],
    ['<https://a.example.com/p#top|a.example.com/p>', 'https://a.example.com/p#top'],
    ['<http://a.example.com/p|a.example.com/p>', 'a.example.com/p'],
    ['<http://a.example.com/|a.example.com>', 'a.example.com'],
    ['<HTTPS://a.example.com|HTTPS://a.example.com>', 'HTTPS://a.example.com'],
    ['<mailto:ada@example.com|write to ada>', 'ada@example.com'],
    ['<tel:+491234|call us>', '+491234'],
  ])('has the address of a link, and its label only where that is the address as typed: %s', (stored, typed) => {
    expect(typedLineOf(`<@${BOT}> ${stored}`, BOT)).toBe(typed);
  });

  it('keeps people who are named in direct messages, also the bot', () => {
    const line = 'audit list --actor <@U0EDGEWISE1>';
    expect(typedLineOf(line, BOT)).toBe(line);
    expect(typedLineOf(' <@U0EDGEWISE1> help', BOT)).toBe('help');
  });

  it.each([
    '`zone show shop`',
    '*zone show shop*',
    '_*zone show shop*_',
    '~zone~ show shop',
    '*zone show* shop',
    '```\nzone show shop\n```',
    '```zone show shop```',
    'zone show `shop`',
    'zone show “shop”',
    'zone show „shop“',
    'zone show ‘shop’',
    'zone show «shop»',
    '`zone show` `shop`',
    '`zone show "shop"`',
    '`/edge zone show shop`',
    '/edge zone show shop',
    '*/edge zone show shop*',
    '```\n/edge zone show shop\n```',
    '`/edge zone show` shop',
    '/edge `zone show shop`',
    '/Edge zone show shop',
  ])('is the same command however it is formatted: %s', (typed) => {
    for (const stored of [typed, `<@${BOT}> ${typed}`, `hey <@${BOT}>: ${typed}`]) {
      const { operation, given } = readCommand(typedLineOf(stored, BOT), operations);
      expect([operation.name, given]).toEqual(['zone show', { zone: 'shop' }]);
    }
  });

  it('is a query whether it was pasted as code or not, with the code that is in it', () => {
    for (const [typed, sql] of [
      ['SELECT 1', 'SELECT 1'],
      ['`SELECT 1`', 'SELECT 1'],
      ['```\nSELECT 1\n```', 'SELECT 1'],
      ['SELECT `a` FROM `b`', 'SELECT `a` FROM `b`'],
    ])
      expect(readCommand(`database query shop ${typed}`, operations).given).toMatchObject({ database: 'shop', sql });
  });

  it('is the same command with the same arguments as on a slash line, for every operation', () => {
    const workspace = createWorkspace();
    const value = fc.oneof(
      fc.stringMatching(/^[!-~]{1,20}$/).filter((text) => !/[@#<>]/.test(text)),
      fc.constantFrom(
        'cdn.example.com',
        'https://example.com/a?b=c&d=e',
        'two words',
        '`a`',
        '```a b```',
        '*a*',
        '„q“',
        "it's",
        '--flag',
        '— x',
        'a & b',
        '"',
        '',
      ),
    );
    const command = fc
      .constantFrom(...operations)
      .chain((operation) =>
        fc
          .record(Object.fromEntries(Object.keys(operation.args).map((key) => [key, value])), { requiredKeys: [] })
          .map((given) => ({ operation, given: given as Record<string, string> })),
      );
    fc.assert(
      fc.property(command, ({ operation, given }) => {
        const line = lineOf(operation, given);
        const sent = `<@${BOT}> ${readTypedText(line, workspace).text}`;
        const again = readCommand(typedLineOf(sent, BOT), operations);
        expect({ name: again.operation.name, given: again.given }).toEqual({ name: operation.name, given });
      }),
      { numRuns: 500 },
    );
  });

  it('comes back as it was typed, whatever Slack made links and entities of', () => {
    const workspace = createWorkspace();
    const word = fc.oneof(
      fc.stringMatching(/^[!-~]{1,20}$/).filter((text) => !/[@#<>`]/.test(text)),
      fc.constantFrom(
        'cdn.example.com',
        '*.example.com',
        'https://example.com/a?b=c&d=e',
        'a & b',
        'x < y',
        'ada@example.com',
        '--zone=x',
        '„q“',
      ),
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), (words) => {
        const typed = words.join(' ').trim();
        expect(typedLineOf(`<@${BOT}> ${readTypedText(typed, workspace).text}`, BOT)).toBe(
          // The mention may be followed by a comma, a colon or a cry, but `:A:` is an emoji.
          typed.replace(/^(?:[\s,!]|:(?![\w+-]+:))+/, ''),
        );
      }),
    );
  });
});
