import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError, parseConfig, SECRETS } from '../src/config.ts';
import { Secret } from '../src/secret.ts';

const complete = {
  SLACK_BOT_TOKEN: 'xoxb-1-bot',
  SLACK_APP_TOKEN: 'xapp-1-app',
  PLATFORM_API_URL: 'https://api.example.com/',
  PLATFORM_ACCESS_KEY: 'the-access-key',
  PLATFORM_ORIGIN_LOGS_URL: 'https://origin-logs.example.com',
  PLATFORM_LOGGING_URL: 'https://logging.example.com/base//',
};

function complaintsOf(more: Record<string, string | undefined>): string[] {
  try {
    parseConfig({ ...complete, ...more });
  } catch (error) {
    if (error instanceof ConfigError) return error.complaints;
    throw error;
  }
  return [];
}

describe('the settings', () => {
  it('have defaults for all that a first start does not need', () => {
    const config = parseConfig(complete);
    expect(config).toMatchObject({
      PORT: 3000,
      SLACK_API_URL: 'https://slack.com/api',
      EDGEWISE_ADMINS: [],
      PLATFORM_STATISTICS_EXTRAS: true,
      REPORT_TIMEZONE: 'UTC',
      LOG_LEVEL: 'info',
    });
    // Paths are appended to addresses.
    expect(config.PLATFORM_API_URL).toBe('https://api.example.com');
    expect(config.PLATFORM_LOGGING_URL).toBe('https://logging.example.com/base');
  });

  it('complain about everything at once', () => {
    expect(complaintsOf({ SLACK_BOT_TOKEN: undefined, PLATFORM_API_URL: 'api', PORT: 'x', LOG_LEVEL: 'loud' })).toEqual(
      [
        expect.stringMatching(/^SLACK_BOT_TOKEN is missing\. /),
        'PORT is not a number from 0 to 65535. Write one.',
        'PLATFORM_API_URL is not an address. Write one that begins with https://.',
        expect.stringMatching(/^LOG_LEVEL is none of fatal, error, /),
      ],
    );
    expect(() => parseConfig({})).toThrow(
      /^SLACK_BOT_TOKEN is missing\. .*\n[\s\S]*\nPLATFORM_ACCESS_KEY is missing\. /,
    );
  });

  it.each<[string, Record<string, string | undefined>, RegExp]>([
    ['no way to Slack', { SLACK_APP_TOKEN: undefined }, /SLACK_APP_TOKEN or SLACK_SIGNING_SECRET is missing/],
    ['an empty setting', { PLATFORM_ACCESS_KEY: '' }, /PLATFORM_ACCESS_KEY is missing/],
    ['a store of another kind', { STORE_URL: 'mysql://db' }, /STORE_URL is not an address/],
    ['the platform’s store', { STORE_URL: 'platform' }, /Give a PostgreSQL server/],
    ['a libSQL store', { STORE_URL: 'libsql://db.example' }, /Give a PostgreSQL server/],
    ['a store with a wrong sslmode', { STORE_URL: 'postgres://db/edgewise?sslmode=on' }, /sslmode that is none/],
    ['a database without a token', { PLATFORM_DATABASE_URL: 'libsql://db' }, /PLATFORM_DATABASE_AUTH_TOKEN is missing/],
    ['a name in place of an id', { EDGEWISE_ADMINS: 'U0ADA, ada' }, /“ada”, which is not a Slack user id/],
    ['an unknown time zone', { REPORT_TIMEZONE: 'Mars/Olympus' }, /REPORT_TIMEZONE is not a time zone/],
    ['a port that is none', { PORT: '70000' }, /^PORT /],
    [
      'a host that is no address',
      { HOST: 'my-machine' },
      /^HOST is not an address to listen on\. Write one such as 127\.0\.0\.1\.$/,
    ],
    [
      'a switch that is neither',
      { PLATFORM_STATISTICS_EXTRAS: 'maybe' },
      /PLATFORM_STATISTICS_EXTRAS is neither on nor off/,
    ],
    ['an ftp address', { PLATFORM_API_URL: 'ftp://api.example.com' }, /PLATFORM_API_URL is not an address/],
  ])('refuse %s', (_, more, complaint) => {
    expect(complaintsOf(more)).toEqual([expect.stringMatching(complaint)]);
  });

  it.each<[string, Record<string, string | undefined>, string[]]>([
    ['a letter too many', { AUDIT_CHANNELS: 'C1' }, ['AUDIT_CHANNELS is not a setting. Did you mean AUDIT_CHANNEL?']],
    ['letters that changed places', { STROE_URL: 'file:x' }, ['STROE_URL is not a setting. Did you mean STORE_URL?']],
    [
      'a required one, once',
      { PLATFORM_ACCES_KEY: 'k', PLATFORM_ACCESS_KEY: undefined },
      ['PLATFORM_ACCES_KEY is not a setting. Did you mean PLATFORM_ACCESS_KEY?'],
    ],
    ['but not the setting of another program', { SLACK_API_TOKEN: 'x', LOGLEVEL: 'x', STORE_PORT: 'x' }, []],
    [
      'one that extends a setting',
      { AUDIT_CHANNEL_ID: 'C1', REPORT_CHANNEL_ID: 'C1' },
      ['AUDIT_CHANNEL', 'REPORT_CHANNEL'].map((meant) => `${meant}_ID is not a setting. Did you mean ${meant}?`),
    ],
    [
      'one with the bot’s name before it',
      { EDGEWISE_POLICY_FILE: 'x', EDGEWISE_LOG_LEVEL: 'info' },
      ['POLICY_FILE', 'LOG_LEVEL'].map((meant) => `EDGEWISE_${meant} is not a setting. Did you mean ${meant}?`),
    ],
    [
      'a list of admins that would be ignored',
      { EDGEWISE_ADMINS_FILE: 'x' },
      ['EDGEWISE_ADMINS_FILE is not a setting. Did you mean EDGEWISE_ADMINS?'],
    ],
    [
      'any that begins with the bot’s name',
      { EDGEWISE_ADMIN: 'U0ADA', EDGEWISE_ADMINS: 'U0ADA', EDGEWISE_COLOUR: 'red' },
      ['EDGEWISE_ADMIN', 'EDGEWISE_COLOUR'].map(
        (name) => `${name} is not a setting. Take it out, or correct its name.`,
      ),
    ],
    [
      'but not what Kubernetes sets for services, nor what `edgewise mcp` reads',
      {
        ...{ EDGEWISE_SERVICE_HOST: '10.0.0.1', EDGEWISE_SERVICE_PORT: '80', EDGEWISE_SERVICE_PORT_HTTP: '80' },
        ...{ EDGEWISE_PORT: 'tcp://10.0.0.1:80', EDGEWISE_PORT_80_TCP_ADDR: '10.0.0.1' },
        ...{ EDGEWISE_METRICS_PORT: 'tcp://10.0.0.1:9464', EDGEWISE_METRICS_SERVICE_HOST: '10.0.0.1' },
        ...{ EDGEWISE_URL: 'https://bot.example.com', EDGEWISE_TOKEN: 'x' },
      },
      [],
    ],
    ['nor one beside a setting that is given', { STORE_URLS: 'x', STORE_URL: 'file:x' }, []],
  ])('know a misspelt name: %s', (_, more, complaints) => {
    const http = { SLACK_APP_TOKEN: undefined, SLACK_SIGNING_SECRET: 's' };
    expect(complaintsOf({ ...http, ...more })).toEqual(complaints);
  });

  it('never repeat a token that is in the wrong place', () => {
    expect(complaintsOf({ SLACK_BOT_TOKEN: 'xoxp-1-hidden' })).toEqual([
      'SLACK_BOT_TOKEN is the token of a person (xoxp-…). Give a bot token (xoxb-…): it is in the app’s settings under OAuth & Permissions.',
    ]);
  });

  it.each([
    [
      { SLACK_BOT_TOKEN: 'xoxe.xoxb-1-bot' },
      /SLACK_BOT_TOKEN is a token with rotation, which expires after twelve hours/,
    ],
    [{ STORE_URL: 'postgres://u:p#w@db/x' }, /STORE_URL .* characters such as # \/ % in its password as %23 %2F %25/],
    [{ STORE_URL: 'postgres://u:100%@db/x' }, /STORE_URL .* as %23 %2F %25/],
    [{ REPORT_CHANNEL: '#ops' }, /REPORT_CHANNEL is not the id of a channel/],
    [{ AUDIT_CHANNEL: 'c0ops000001' }, /AUDIT_CHANNEL is not the id of a channel/],
    [{ METRICS_TOKEN: 'short' }, /METRICS_TOKEN has fewer than 24 characters/],
    [{ MARKS_TOKEN: 'short' }, /MARKS_TOKEN has fewer than 24 characters/],
    [{ METRICS_TOKEN: 'words with spaces between all of them' }, /no header can have/],
    [
      { SLACK_BOT_TOKEN: 'xoxb-…' },
      /^SLACK_BOT_TOKEN still has the placeholder …, or a curly quote or a second line\./,
    ],
    [{ SLACK_APP_TOKEN: '“xapp-1-app”' }, /^SLACK_APP_TOKEN still has/],
    [{ PLATFORM_ACCESS_KEY: 'schlüssel' }, /^PLATFORM_ACCESS_KEY still has/],
    [{ PLATFORM_LOGGING_JWT: 'one\ntwo' }, /^PLATFORM_LOGGING_JWT still has/],
    [{ PLATFORM_ORIGIN_LOGS_JWT: 'Bearer …' }, /^PLATFORM_ORIGIN_LOGS_JWT still has/],
    [{ METRICS_PORT: 'x' }, /METRICS_PORT/],
    [{ METRICS_PORT: '3000' }, /METRICS_PORT is that of PORT/],
    [{ AUDIT_KEEP_DAYS: '39' }, /AUDIT_KEEP_DAYS is not a number from 40/],
  ])('refuse %j', (given, complaint) => {
    expect(complaintsOf(given).join()).toMatch(complaint);
  });

  it('read lists and switches as people write them', () => {
    const config = parseConfig({
      ...complete,
      EDGEWISE_ADMINS: ' U0ADA, W0BEN ,',
      PLATFORM_DATABASE_HOST: 'db.example.com,localhost:8080',
      PLATFORM_STATISTICS_EXTRAS: 'off',
    });
    expect(config.EDGEWISE_ADMINS).toEqual(['U0ADA', 'W0BEN']);
    expect(config.PLATFORM_DATABASE_HOST).toEqual(['db.example.com', 'localhost:8080']);
    expect(config.PLATFORM_STATISTICS_EXTRAS).toBe(false);
  });

  it('count without what Docker and Kubernetes leave around them', () => {
    const around = {
      PLATFORM_ACCESS_KEY: 'key\n',
      SLACK_BOT_TOKEN: '"xoxb-1-bot"\r',
      PLATFORM_LOGGING_URL: "'https://l.example'",
    };
    const config = parseConfig({ ...complete, ...around, HOST: ' \n' });
    expect(config.PLATFORM_ACCESS_KEY.reveal()).toBe('key');
    expect(config.SLACK_BOT_TOKEN.reveal()).toBe('xoxb-1-bot');
    expect([config.PLATFORM_LOGGING_URL, config.HOST]).toEqual(['https://l.example', undefined]);
  });

  it('count in a file that an editor began with a byte order mark', () => {
    const { SLACK_BOT_TOKEN: token, ...others } = complete;
    expect(parseConfig({ '\uFEFFSLACK_BOT_TOKEN': token, ...others }).SLACK_BOT_TOKEN.reveal()).toBe(token);
  });

  it('never show a secret, neither printed nor in a complaint', () => {
    const all = Object.fromEntries(SECRETS.map((name) => [name, `hidden-value-of-${name}`]));
    all.STORE_URL = 'postgres://edgewise:hidden-value@db.example/edgewise';
    // Socket Mode needs none.
    const { SLACK_SIGNING_SECRET: signing, ...given } = all;
    const config = parseConfig({ ...complete, ...given });
    expect(complaintsOf(all).join()).not.toContain(signing);
    for (const name of Object.keys(given)) expect(config[name as keyof typeof config]).toBeInstanceOf(Secret);
    expect(JSON.stringify(config)).not.toContain('hidden-value');
    expect(complaintsOf({ ...given, PLATFORM_API_URL: undefined, STORE_URL: 'x', PORT: '-1' }).join()).not.toContain(
      'hidden-value',
    );
  });

  describe('take each secret from a file', () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'edgewise-secrets-'));
    });
    afterAll(() => rmSync(folder, { recursive: true }));
    const file = (text: string) => {
      const path = join(folder, 'secret');
      writeFileSync(path, text);
      return path;
    };
    const KEY = 'PLATFORM_ACCESS_KEY';
    const byFile = (path: string) => ({ ...complete, [KEY]: undefined, [`${KEY}_FILE`]: path });
    const read = (path: string) => parseConfig(byFile(path)).PLATFORM_ACCESS_KEY.reveal();

    it('without the spaces, line breaks and quotes around it, as any other setting', () => {
      expect(SECRETS).toEqual([
        'SLACK_BOT_TOKEN',
        'SLACK_APP_TOKEN',
        'SLACK_SIGNING_SECRET',
        'METRICS_TOKEN',
        'MARKS_TOKEN',
        'PLATFORM_ACCESS_KEY',
        'PLATFORM_ORIGIN_LOGS_JWT',
        'PLATFORM_LOGGING_JWT',
        'PLATFORM_DATABASE_AUTH_TOKEN',
        'STORE_URL',
        'EDGEWISE_ENCRYPTION_KEY',
        'EDGEWISE_ENCRYPTION_KEY_OLD',
      ]);
      for (const text of ['key', 'key\n', 'key\r\n', ' key ', '"key"\n', "'key'"])
        expect(read(file(text)), text).toBe('key');
      expect(read(file('a "key"'))).toBe('a "key"');
      const apart = (name: string) => ({ ...complete, [name]: undefined, [`${name}_FILE`]: file('xoxb-1-bot') });
      for (const name of ['SLACK_BOT_TOKEN', 'PLATFORM_ORIGIN_LOGS_JWT'])
        expect(parseConfig(apart(name))[name as 'SLACK_BOT_TOKEN']?.reveal(), name).toBe('xoxb-1-bot');
    });

    it('and say in one sentence what is wrong with it', () => {
      const none = join(folder, 'none');
      const empty = file('\n');
      expect(complaintsOf({ [KEY]: undefined, [`${KEY}_FILE`]: none })).toEqual([
        `${KEY}_FILE: ${none} does not exist. Make it, or name another.`,
      ]);
      expect(complaintsOf({ [KEY]: undefined, [`${KEY}_FILE`]: folder })).toEqual([
        `${KEY}_FILE: ${folder} is a folder. Name a file in it.`,
      ]);
      expect(complaintsOf({ [KEY]: undefined, [`${KEY}_FILE`]: empty })).toEqual([
        `${KEY}_FILE: ${empty} is empty. Write the secret into it, and nothing else.`,
      ]);
      expect(complaintsOf({ [`${KEY}_FILE`]: file('key') })).toEqual([
        `${KEY} and ${KEY}_FILE are both given. Leave one of them out.`,
      ]);
      expect(complaintsOf({ SLACK_APP_TOKEN: undefined, SLACK_SIGNING_SECRET_FILE: none })).toHaveLength(1);
      expect(complaintsOf({ METRICS_TOKN_FILE: none })).toEqual([
        'METRICS_TOKN_FILE is not a setting. Did you mean METRICS_TOKEN_FILE?',
      ]);
    });

    it('and the certificate of the store’s issuer, before anything waits for the server', () => {
      const none = join(folder, 'none');
      expect(complaintsOf({ STORE_CA: none })).toEqual([
        'STORE_CA: its file does not exist. Make it, or name another.',
      ]);
      expect(complaintsOf({ STORE_CA: 'x'.repeat(300) })).toEqual([
        'STORE_CA: its file has too long a name. Name a file, not what is in it.',
      ]);
      expect(parseConfig({ ...complete, STORE_CA: file('-----BEGIN CERTIFICATE-----\n') }).STORE_CA).toBe(
        '-----BEGIN CERTIFICATE-----',
      );
    });

    it('which is checked as one that is given itself', () => {
      const settings = { EDGEWISE_ENCRYPTION_KEY_FILE: file('short') };
      expect(complaintsOf(settings)).toEqual([expect.stringMatching(/^EDGEWISE_ENCRYPTION_KEY has fewer than/)]);
    });
  });
});
