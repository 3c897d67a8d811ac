import { webApi } from '@slack/bolt';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { createPeople, type People, whoIs } from '../../src/slack/people.ts';

const HOME = 'T0HOME';
const now = () => new Date('2026-11-21T12:00:00Z');

let answer: () => unknown;
let people: People;

beforeEach(() => {
  const client = { users: { info: async () => answer() } } as unknown as webApi.WebClient;
  people = createPeople({ client, teamId: HOME, now, log: pino({ level: 'silent' }) });
});

const refuses = (error: string) => () => {
  throw new webApi.WebAPIPlatformError({ ok: false, error });
};
const find = () => people.find('U0ADA', 'T0SAID');
const who = () =>
  whoIs({ people, directory: { catchUp: async () => undefined }, now }, { userId: 'U0ADA', teamId: 'T0SAID' });

describe('somebody in Slack', () => {
  it('is of the home workspace, whichever workspace of the organisation Slack names', async () => {
    const teams = ['T0OTHER', HOME];
    for (const team_id of ['T0OTHER', HOME, 'E0ORG', undefined]) {
      answer = () => ({ user: { id: 'W0ADA', team_id, enterprise_user: { teams }, real_name: 'Ada' } });
      people = createPeople({
        client: { users: { info: async () => answer() } } as unknown as webApi.WebClient,
        teamId: HOME,
        now,
        log: pino({ level: 'silent' }),
      });
      expect((await people.find('W0ADA', 'T0OTHER')).actor).toEqual({
        id: 'W0ADA',
        teamId: HOME,
        kind: 'member',
        name: 'Ada',
      });
    }
  });

  it('is of their own workspace as a stranger, and has a name all the same', async () => {
    answer = () => ({ user: { id: 'U0ADA', team_id: 'T0FOREIGN', is_stranger: true, real_name: 'Eve' } });
    expect((await find()).actor).toEqual({ id: 'U0ADA', teamId: 'T0FOREIGN', kind: 'stranger', name: 'Eve' });
  });

  it.each([
    ['nothing', {}],
    ['nobody', { user: undefined }],
    ['somebody without a workspace', { user: { id: 'U0ADA', name: 'ada' } }],
  ])('is no stranger where Slack answers with %s', async (_, answered) => {
    answer = () => answered;
    await expect(who()).rejects.toThrow('Slack did not say who you are, so I did nothing.');
  });

  it('is a stranger where Slack knows them no more', async () => {
    answer = refuses('user_not_found');
    expect(await find()).toMatchObject({ actor: { kind: 'stranger' } });
    expect(await who()).toMatchObject({ actor: { kind: 'stranger' } });
  });

  it.each([
    ['ratelimited', /few minutes/],
    ['internal_error', /in a moment/],
    ['missing_scope', /manifest/],
    ['token_revoked', /new token/],
    ['never_heard_of', /in a moment/],
  ])('is nobody while Slack says %s, and is told so instead of what strangers are told', async (error, hint) => {
    answer = refuses(error);
    expect(await find()).toMatchObject({ actor: { kind: 'stranger' } });
    await expect(who()).rejects.toMatchObject({
      name: 'UsageError',
      message: 'Slack did not say who you are, so I did nothing.',
      hint: expect.stringMatching(hint),
    });
    answer = () => ({ user: { id: 'U0ADA', team_id: HOME } });
    expect(await who(), 'as soon as it does').toMatchObject({ actor: { kind: 'member' } });
  });
});
