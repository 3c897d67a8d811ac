import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SlackEmulator, startSlackEmulator } from '../../playground/slack/emulator.ts';
import { Secret } from '../../src/secret.ts';
import { createClients } from '../../src/slack/clients.ts';
import { createDirectory, NO_REFERENCES, type References } from '../../src/slack/directory.ts';

const MINUTE = 60_000;

describe('The directory of those whom a policy names', () => {
  let slack: SlackEmulator;
  let now: number;
  /** What is waited for as long as somebody is patient: for ever, unless a test says otherwise. */
  let waited: () => Promise<unknown>;
  const log = pino({ level: 'silent' });

  beforeAll(async () => {
    slack = await startSlackEmulator({ workspace: { userGroups: [{ handle: 'shop', members: ['ben'] }] } });
  });
  afterAll(() => slack.close());
  beforeEach(() => {
    now = Date.UTC(2026, 10, 21);
    waited = () => new Promise(() => undefined);
    slack.outgoing.splice(0);
  });

  const called = () => slack.outgoing.map(({ method }) => method);
  const groupNamed = (name: string, { workspace } = slack) =>
    [...workspace.userGroups.values()].find(({ handle }) => handle === name)!;

  function directoryOf(references: Partial<References>, { environment, apiUrl } = slack) {
    const { background } = createClients(Secret.of(environment.SLACK_BOT_TOKEN ?? ''), apiUrl.replace(/\/$/, ''));
    return createDirectory({
      client: background,
      teamId: slack.workspace.team.id,
      references: { ...NO_REFERENCES, ...references },
      now: () => new Date(now),
      wait: () => waited(),
      log,
    });
  }

  it('asks Slack nothing when nobody is named', async () => {
    const directory = directoryOf({});
    await directory.refresh();
    expect(called()).toEqual([]);
    expect(directory.problems()).toEqual([]);
  });

  it('knows groups by id and by handle, with their members', async () => {
    const shop = groupNamed('shop');
    const directory = directoryOf({ groups: ['@shop', shop.id] });
    expect(directory.group('@shop'), 'nothing was read yet').toBeUndefined();
    await directory.refresh();
    expect(directory.group('@shop')).toEqual([slack.workspace.user('ben').id]);
    expect(directory.group(shop.id)).toEqual([slack.workspace.user('ben').id]);
    expect(directory.group('@sho')).toBeUndefined();
    expect(called()).toEqual(['usergroups.list']);
  });

  it('reads groups again after a minute, and not before', async () => {
    const directory = directoryOf({ groups: ['@shop'] });
    await directory.refresh();
    const { members } = groupNamed('shop');
    members.push(slack.workspace.user('ada').id);
    now += MINUTE - 1;
    await directory.refresh();
    expect(directory.group('@shop')).toHaveLength(1);
    now += 1;
    await directory.refresh();
    expect(directory.group('@shop')).toHaveLength(2);
    members.pop();
  });

  it('asks Slack nothing while nobody asks, and for many who ask at once only once', async () => {
    const directory = directoryOf({ groups: ['@shop'], channels: ['#ops'], people: ['U0NOBODY001'] });
    await directory.refresh();
    slack.outgoing.splice(0);
    now += 16 * MINUTE;
    expect(directory.group('@shop'), 'too old to go by').toBeUndefined();
    await Promise.all([directory.catchUp(), directory.catchUp(), directory.askGroups()]);
    expect(directory.group('@shop')).toHaveLength(1);
    expect(directory.channel('#ops')).toBe(slack.workspace.channel('#ops').id);
    await directory.refresh();
    expect(called().sort()).toEqual(['conversations.list', 'usergroups.list', 'users.info']);
    await directory.catchUp();
    expect(called()).toHaveLength(3);
  });

  it('shows what it read within a minute, or goes by what it read before when Slack takes long', async () => {
    const other = await startSlackEmulator({ workspace: { userGroups: [{ handle: 'shop', members: ['ben'] }] } });
    const directory = directoryOf({ groups: ['@shop'] }, other);
    await directory.refresh();
    const { members } = groupNamed('shop', other);
    members.push(other.workspace.user('ada').id);
    now += MINUTE;
    await directory.catchUp();
    expect(directory.group('@shop')).toHaveLength(2);
    members.pop();
    now += MINUTE;
    other.fault('usergroups.list=hang');
    waited = () => Promise.resolve();
    await directory.catchUp();
    expect(directory.group('@shop')).toHaveLength(2);
    await other.close();
  });

  it('tries what failed again after a minute, not for each who asks', async () => {
    const over = slack.fault('usergroups.list=internal_error');
    const directory = directoryOf({ groups: ['@shop'] });
    await directory.refresh();
    await directory.catchUp();
    expect(called()).toEqual(['usergroups.list']);
    over();
    now += MINUTE;
    await directory.catchUp();
    expect(directory.group('@shop')).toHaveLength(1);
  });

  it('knows channels by name; an id needs no look-up', async () => {
    const directory = directoryOf({ channels: ['#ops', '#nowhere', 'C0RANDOM003'] });
    expect(directory.channel('C0RANDOM003')).toBe('C0RANDOM003');
    await directory.refresh();
    expect(directory.channel('#ops')).toBe(slack.workspace.channel('#ops').id);
    expect(directory.channel('#nowhere')).toBeUndefined();
    expect(directory.knows(slack.workspace.channel('#ops').id)).toBe(true);
    expect(directory.knows('C0SECRET001')).toBe(false);
    expect(directory.problems()).toEqual(['not found: #nowhere']);
  });

  it('lists no channels when all are named by their ids', async () => {
    const directory = directoryOf({ channels: ['C0RANDOM003', 'C0GONE00001'] });
    await directory.refresh();
    expect(called()).toEqual(['conversations.info', 'conversations.info']);
    expect(directory.problems()).toEqual([
      'not found: C0GONE00001 (deleted, or private and I’m not in it; its rules apply wherever Slack doesn’t tell me the channel)',
    ]);
  });

  it('says which people and groups are not found', async () => {
    const directory = directoryOf({ people: ['U0NOBODY001', slack.workspace.user('ada').id], groups: ['@gone'] });
    await directory.refresh();
    expect(directory.problems()).toEqual(['not found: @gone', 'not found: U0NOBODY001']);
  });

  it('believes what it read for a quarter of an hour while Slack does not answer, then nobody', async () => {
    const other = await startSlackEmulator({ workspace: { userGroups: [{ handle: 'shop', members: ['ben'] }] } });
    const directory = directoryOf({ groups: ['@shop'] }, other);
    await directory.refresh();
    await other.close();
    now += 14 * MINUTE;
    await directory.refresh();
    expect(directory.group('@shop')).toHaveLength(1);
    expect(directory.problems()).toEqual([expect.stringMatching(/^the user groups cannot be read: /)]);
    now += MINUTE;
    await directory.refresh();
    expect(directory.group('@shop')).toBeUndefined();
  });

  it('says which scope is missing', async () => {
    const poor = await startSlackEmulator({ scopes: ['chat:write'] });
    const directory = directoryOf({ groups: ['@shop'] }, poor);
    await directory.refresh();
    expect(directory.group('@shop')).toBeUndefined();
    expect(directory.problems()).toEqual([
      expect.stringMatching(
        /^the user groups cannot be read: the app lacks the scope usergroups:read: ask whoever .* \(missing_scope\)$/,
      ),
    ]);
    await poor.close();
  });
});
