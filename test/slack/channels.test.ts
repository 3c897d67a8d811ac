import { webApi } from '@slack/bolt';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { createChannels, type SlackChannels } from '../../src/slack/channels.ts';

let answer: () => unknown;
let asked: string[];
let channels: SlackChannels;
let now: Date;

beforeEach(() => {
  asked = [];
  now = new Date('2026-11-21T12:00:00Z');
  const info = async ({ channel }: { channel: string }) => {
    asked.push(channel);
    return { channel: answer() };
  };
  const client = { conversations: { info } } as unknown as webApi.WebClient;
  channels = createChannels({ client, now: () => now, log: pino({ level: 'silent' }) });
});

const refuses = (error: string) => () => {
  throw new webApi.WebAPIPlatformError({ ok: false, error });
};

describe('People of other organisations', () => {
  it.each([
    ['a channel that is shared by Slack Connect', { is_shared: true, is_ext_shared: true }],
    ['one that is about to be', { is_pending_ext_shared: true }],
    ['one of the organisation that another one shares too', { is_org_shared: true, is_ext_shared: true }],
    ['one that is connected to another workspace', { is_ext_shared: false, connected_team_ids: ['T0OTHER'] }],
    ['one to which another was invited', { pending_shared: ['T0OTHER'] }],
    ['one whose invitation was accepted', { pending_connected_team_ids: ['T0OTHER'] }],
    ['one that is shared, and Slack does not say with whom', { is_shared: true }],
    ['a group direct message', { is_mpim: true, is_ext_shared: true }],
  ])('are in %s', async (_, said) => {
    answer = () => ({ name: 'ops', ...said });
    expect(await channels.external('C0OPS')).toBe(true);
    expect((await channels.find('C0OPS01'))?.external).toBe(true);
  });

  it.each([
    ['a channel of this workspace alone', { is_shared: false, is_ext_shared: false, connected_team_ids: [] }],
    ['one that workspaces of one’s own organisation share', { is_shared: true, is_org_shared: true }],
    ['the direct message with somebody', { is_im: true, is_shared: true }],
  ])('are not in %s', async (_, said) => {
    answer = () => ({ name: 'ops', ...said });
    expect(await channels.external('C0OPS')).toBe(false);
    expect((await channels.find('C0OPS01'))?.external).toBe(false);
  });

  it.each(['D0DIRECT01', 'U0ADA000001'])('read nothing in %s: Slack is not asked', async (id) => {
    expect(await channels.external(id)).toBe(false);
    expect(asked).toEqual([]);
  });

  it.each([
    ['channel_not_found', /I’m not in it\): invite me/],
    ['missing_scope', /lacks a scope: ask whoever runs Edgewise/],
    ['ratelimited', /no more calls/],
    ['unknown_method', /Slack does not say it/],
  ])('may be in a channel of which Slack says %s', async (error, why) => {
    answer = refuses(error);
    expect(await channels.external('C0OPS')).toMatch(why);
  });

  it('may be in a channel that Slack describes too often', async () => {
    answer = refuses('ratelimited');
    expect(await channels.find('C0OPS01')).toMatchObject({ id: 'C0OPS01', external: expect.stringMatching(/calls/) });
  });

  it('are asked for once a minute, and at once for a change', async () => {
    answer = () => ({ is_ext_shared: false });
    expect(await channels.external('C0OPS')).toBe(false);
    answer = () => ({ is_ext_shared: true });
    expect(await channels.external('C0OPS')).toBe(false);
    expect(await channels.external('C0OPS', { fresh: true })).toBe(true);
    answer = () => ({ is_ext_shared: false });
    expect(await channels.external('C0OPS')).toBe(true);
    now = new Date(now.getTime() + 60_001);
    expect(await channels.external('C0OPS')).toBe(false);
    expect(asked).toHaveLength(3);
  });
});
