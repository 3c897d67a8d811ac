import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { playMorning } from '../../../playground/launcher/demo.ts';
import { type Playground, startPlayground } from '../../../playground/launcher/start.ts';

/** Everything under this key, wherever it stands. */
function under(key: string, tree: unknown): string[] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([name, value]) => (name === key ? [value].flat() : under(key, value)));
}

describe('the morning on which people find the playground', () => {
  let playground: Playground;
  const ops = (name: string) => playground.slack.person(name).in('#ops');

  beforeAll(async () => {
    playground = await startPlayground({ port: 0, demo: true });
    await playground.bot.start();
    await playMorning(playground.slack);
  });
  afterAll(() => playground.close());

  it('has a report that the bot made, and a change that Dora approves', async () => {
    await ops('ben').expectMessage(/5xx of requests[\s\S]*Asked for by @ada/);
    const card = await ops('dora').expectMessage(/@cleo wants to switch force HTTPS off for img\.example\.com/);
    expect(card.buttons).toEqual(['Approve', 'Reject …', 'Look closer']);
    await card.click('Approve');
    await card.expectChange(/@dora approved/);
    expect(playground.simulator.writes()).toEqual([]);
    await (await ops('cleo').expectMessage(/@dora approved/)).click('Run');
    await ops('cleo').expectMessage(/@cleo switched force HTTPS on → off/);
    expect(playground.simulator.writes()).toHaveLength(1);
  });

  it('has an origin that fails, of which the bot shows the errors', async () => {
    await ops('ben').type('/edge errors show shop');
    await ops('ben').expectMessage(/origin[\s\S]*50[23]/);
  });

  it('has everybody and everything that the example policy names', () => {
    const policy: unknown = parse(readFileSync(new URL('../../../docs/policy.example.yml', import.meta.url), 'utf8'));
    const { workspace } = playground.slack;
    const { account } = playground.simulator;
    const found = (names: string[], things: readonly (string | number)[]) =>
      names.filter((name) => !things.some((thing) => new RegExp(`^${name.replace('*', '.*')}$`).test(String(thing))));
    const groups = [...workspace.userGroups.values()].flatMap(({ id, handle }) => [id, `@${handle}`]);
    expect(found(under('groups', policy), groups)).toEqual([]);
    expect(found(under('people', policy), [...workspace.users.keys()])).toEqual([]);
    expect(
      found(
        under('zone', policy),
        account.zones.map(({ Name }) => Name),
      ),
    ).toEqual([]);
    expect(
      found(
        under('script', policy),
        account.scripts.flatMap(({ Id, Name }) => [Id, Name]),
      ),
    ).toEqual([]);
    expect(
      found(
        under('database', policy),
        account.databases.map(({ name }) => name),
      ),
    ).toEqual([]);
    expect(under('zone', policy)).toContain('shop-images');
  });
});
