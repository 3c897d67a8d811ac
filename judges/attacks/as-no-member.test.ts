import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CONFIRM } from '../../test/support/changes.ts';
import type { TestWorkspace } from '../../test/support/workspace.ts';
import { startUnder } from './under.ts';

type User = ReturnType<TestWorkspace['slack']['workspace']['user']>;

/** What somebody can be who is no full member, as Slack describes them. */
const KINDS: [who: string, what: Partial<User>][] = [
  ['an account that was switched off', { isDeleted: true }],
  ['a guest of several channels', { isRestricted: true }],
  ['a guest of one channel', { isUltraRestricted: true }],
  ['a bot', { isBot: true }],
  ['a workflow', { isWorkflowBot: true }],
  ['somebody of another organisation', { teamId: 'T0PARTNER01' }],
  ['somebody of whom Slack does not say where they belong', { isTeamUnsaid: true }],
];

const PAIRS = [...KINDS.keys(), 'slackbot'];
const NAMES = PAIRS.flatMap((one) => [`one-${one}`, `peer-${one}`]);
const idOf = (name: string) => (name === 'one-slackbot' ? 'USLACKBOT' : `U0${name.replace('-', '').toUpperCase()}`);

/** Two people each, who have every right as long as they are members, and approve for each other. */
const POLICY = `
roles:
${PAIRS.map((one) => `  pair-${one}: { people: [${idOf(`one-${one}`)}, ${idOf(`peer-${one}`)}], allow: ['*'] }`).join('\n')}
approval:
${PAIRS.map((one) => `  - { operations: ssl force, where: { hostname: h${one}.example }, approvers: { roles: [pair-${one}] } }`).join('\n')}
`;

describe.each([
  ['HTTP', [0, 1, 2, 3, 4, 5, 6]],
  ['Socket Mode', [0]],
])('Somebody who wants to change something over %s as', (way, kinds) => {
  const socket = way === 'Socket Mode';
  let workspace: TestWorkspace;
  const person = (name: string) => workspace.slack.person(name);
  let prepared: Map<number, Awaited<ReturnType<typeof asMember>>>;

  beforeAll(async () => {
    workspace = await startUnder(POLICY, {
      socket,
      slack: {
        workspace: {
          users: NAMES.map((name) => ({ name, id: idOf(name) })),
          // Slack takes a message a second in each.
          channels: PAIRS.map((one) => ({
            name: `ops-${one}`,
            members: [`one-${one}`, `peer-${one}`],
          })),
        },
      },
    });
    const shop = workspace.platform.account.zones.find(({ Name }) => Name === 'shop')!;
    const [host] = shop.Hostnames;
    shop.Hostnames.push(...PAIRS.map((one) => ({ ...host!, Value: `h${one}.example`, ForceSSL: false })));
    if (socket) await workspace.slack.connected();
    prepared = new Map(await Promise.all(kinds.map(async (at) => [at, await asMember(at)] as const)));
  });
  afterAll(() => workspace.close());
  afterEach(() => expect(workspace.platform.writes()).toEqual([]));

  /** Two people with a channel of their own. */
  function between(one: string, peer: string, channel: string) {
    const here = (name: string) => person(name).in(channel);
    const asSeenBy = (name: string, { ts }: { ts: string }) => here(name).messages.find((card) => card.ts === ts)!;
    async function askedBy(name: string) {
      here(name).readAll();
      await here(name).type(`/edge ssl force ${channel.replace('#ops-', 'h')}.example on`);
      await (await here(name).expectMessage(/🔒 Needs/u)).click('Ask for approval …');
      await (await person(name).expectModal('Ask for approval')).submit();
      return here(name).expectMessage(/wants to/);
    }
    async function approvedFor(name: string) {
      await asSeenBy(name === one ? peer : one, await askedBy(name)).click('Approve');
      return person(name)
        .in('@edgewise')
        .expectMessage(/approved: Switch force HTTPS/);
    }
    return { here: here(one), asSeenBy, askedBy, approvedFor };
  }

  /** All that is under way while they are a member still. */
  async function asMember(at: number) {
    const [one, peer] = [`one-${at}`, `peer-${at}`];
    const { here, asSeenBy, askedBy, approvedFor } = between(one, peer, `#ops-${at}`);
    await here.type('/edge bot set main-site social block');
    const preview = await here.expectMessage(/Action: /);
    const theirs = await approvedFor(one);
    const byThem = await approvedFor(peer);
    const waiting = await askedBy(peer);
    return { here, preview, theirs, byThem, waiting: asSeenBy(one, waiting) };
  }

  it.each(kinds.map((at) => [...KINDS[at]!, at] as const))('%s', async (_, what, at) => {
    const { here, preview, theirs, byThem, waiting } = prepared.get(at)!;
    Object.assign(workspace.slack.workspace.user(`one-${at}`), what);
    const isUnsaid = 'isTeamUnsaid' in what;
    const refusal = isUnsaid ? /^Slack did not say who/ : /^You may not run bot set/;

    here.readAll();
    await preview.click(CONFIRM);
    await preview.expectChange(new RegExp(`^Not done: Set Social bots .*\\n${refusal.source.slice(1)}`));
    await theirs.click('Run');
    // The card stays for when Slack says it.
    if (isUnsaid) await person(`one-${at}`).in('@edgewise').expectMessage(refusal);
    else await theirs.expectChange(/You may not run ssl force|Only @one-\d can run this. Nothing was done/);
    await byThem.click('Run');
    await byThem.expectChange(
      isUnsaid ? /Slack did not say who may do this now/ : /This now needs one approval from .*/,
    );
    await waiting.click('Approve');
    await here.expectMessage(isUnsaid ? refusal : /You cannot decide this/);
    await here.type('/edge bot set main-site social block');
    await here.expectMessage(refusal);
  });

  it('Slackbot, which Slack calls a person', async () => {
    const { here, asSeenBy, askedBy } = between('one-slackbot', 'peer-slackbot', '#ops-slackbot');
    await here.type('/edge bot set main-site social block');
    await here.expectMessage(/^You may not run bot set/);
    await asSeenBy('one-slackbot', await askedBy('peer-slackbot')).click('Approve');
    await here.expectMessage(/You cannot decide this/);
  });
});
