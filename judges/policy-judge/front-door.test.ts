import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIRM } from '../../test/support/changes.ts';
import type { TestWorkspace } from '../../test/support/workspace.ts';
import { startUnder } from '../attacks/under.ts';
import { judge, judgeForAWhile, judgeUndo, type Person, type Verdict } from './model.ts';
import { textOf } from './text.ts';
import type { WrittenApproval, WrittenFile } from './written.ts';

const ADA: Person = { id: 'U0ADA000001', kind: 'member' };
const BEN: Person = { id: 'U0BEN000002', kind: 'member' };
const CLEO: Person = { id: 'U0CLEO00005', kind: 'member' };
const DORA: Person = { id: 'U0DORA00006', kind: 'member' };
const NAMES = new Map([BEN, CLEO, DORA].map((one, at) => [one, ['ben', 'cleo', 'dora'][at] as string]));

const forcing = (hostname: string, state: string, approvers: readonly Person[], count = 1): WrittenApproval => ({
  operations: 'ssl force',
  where: { hostname, state },
  approvers: { people: approvers.map(({ id }) => id) },
  count,
});

const FILE: WrittenFile = {
  approval: [
    forcing('dl.example.com', 'off', [BEN]),
    forcing('docs.example.com', 'on', [BEN, CLEO], 2),
    forcing('status.example.com', 'on', [BEN]),
    forcing('status.example.com', 'off', [BEN, CLEO]),
    forcing('assets.example.com', 'on', [BEN, CLEO]),
    forcing('assets.example.com', 'off', [CLEO, DORA]),
    forcing('static.example.com', 'on', [BEN, CLEO]),
    forcing('static.example.com', 'off', [BEN, CLEO, DORA], 2),
  ],
};
const HOSTS = ['dl', 'docs', 'status', 'assets', 'static', 'img'].map((name) => `${name}.example.com`);
const AROUND = { admins: [ADA.id], groups: {}, channels: {}, known: [] };
const PLACE = { id: 'C0OPS000001' };

/** Over Socket Mode. */
describe('A change, its undo and --for need the approval that the second judge says', () => {
  let workspace: TestWorkspace;
  const ops = () => workspace.slack.person('ada').in('#ops');
  const hostOf = (value: string) => {
    const all = workspace.platform.account.zones.flatMap((zone) => zone.Hostnames.map((host) => ({ zone, host })));
    return all.find(({ host }) => host.Value === value)!;
  };
  const askOf = (hostname: string, state: string, time?: string) => {
    const { zone } = hostOf(hostname);
    const things = {
      hostname: [[hostname]],
      zone: [[String(zone.Id), zone.Name]],
      state: [[state]],
      for: time === undefined ? [] : [[time]],
    };
    return { command: 'ssl force', things };
  };

  beforeAll(async () => {
    workspace = await startUnder(textOf(FILE).text, {
      slack: {
        workspace: {
          users: [
            { name: 'cleo', id: CLEO.id },
            { name: 'dora', id: DORA.id },
          ],
          channels: [{ name: 'ops', members: ['ada', 'ben', 'gus', 'cleo', 'dora'] }],
        },
      },
      socket: true,
    });
    await workspace.slack.connected();
  });
  afterAll(() => workspace.close());

  /** How many approvals a preview asks for: 0 is none. */
  const askedIn = (text: string) => Number(/🔒 Needs (one|\d+) approval/u.exec(text)?.[1]?.replace('one', '1') ?? 0);
  const needed = ({ approval }: Verdict) => approval?.count ?? 0;

  /** The newest message about it that can still be answered by that button. */
  async function open(place: ReturnType<typeof ops>, about: RegExp, button: string) {
    const newest = () =>
      place.messages.findLast(({ text, buttons }) => about.test(text) && buttons.some((one) => one.startsWith(button)));
    await expect.poll(newest, { timeout: 10_000 }).toBeDefined();
    return newest()!;
  }

  /** Takes it back, and waits until nobody can answer it any more. */
  async function cancel(message: Awaited<ReturnType<typeof open>>) {
    await message.click('Cancel');
    await expect.poll(() => message.buttons, { timeout: 10_000 }).not.toContain('Cancel');
  }

  /** Those whom its first entry names approve it, as many as it takes, and Ada runs it. */
  async function approved({ approval }: Verdict, hostname: string): Promise<Person[]> {
    const about = new RegExp(hostname);
    await (await open(ops(), about, 'Ask for approval')).click('Ask for approval …');
    await (await workspace.slack.person('ada').expectModal('Ask for approval')).submit();
    const voters = [...NAMES].filter(([{ id }]) => approval!.each[0]!.approvers.includes(id)).slice(0, approval!.count);
    for (const [, name] of voters)
      await (await open(workspace.slack.person(name).in('#ops'), about, 'Approve')).click('Approve');
    await (await open(workspace.slack.person('ada').in('@edgewise'), about, 'Run')).click('Run');
    return voters.map(([person]) => person);
  }

  const cases = HOSTS.flatMap((hostname) => ['on', 'off'].map((state) => [hostname, state] as const));

  it.each(cases)('%s is switched %s for a while, and undone', async (hostname, state) => {
    const back = state === 'on' ? 'off' : 'on';
    const { host } = hostOf(hostname);
    host.ForceSSL = back === 'on';
    const preview = new RegExp(`${hostname}[\\s\\S]*Force HTTPS: ${back} → ${state}`);
    const undo = askOf(hostname, back);

    await ops().type(`/edge ssl force ${hostname} ${state} --for 1h`);
    const while_ = judgeForAWhile(FILE, AROUND, ADA, PLACE, { change: askOf(hostname, state, '1h'), undo });
    const first = await open(ops(), preview, 'Cancel');
    expect(askedIn(first.text)).toBe(needed(while_));
    await cancel(first);

    await ops().type(`/edge ssl force ${hostname} ${state}`);
    const verdict = judge(FILE, AROUND, ADA, PLACE, askOf(hostname, state));
    const shown = await open(ops(), preview, 'Cancel');
    expect(askedIn(shown.text)).toBe(needed(verdict));
    if (verdict.approval === undefined) await shown.click(CONFIRM);
    const approvedBy = verdict.approval === undefined ? [] : await approved(verdict, hostname);
    await expect.poll(() => host.ForceSSL, { timeout: 10_000 }).toBe(state === 'on');

    const undone = judgeUndo(FILE, AROUND, ADA, PLACE, { undo, approvedBy });
    const isFree = undone.approval === undefined;
    const label = isFree ? 'Undo' : 'Undo (needs approval) …';
    const outcome = await open(ops(), new RegExp(`switched force HTTPS ${back} → ${state} for ${hostname}`), label);
    await outcome.click(label, isFree ? { confirm: true } : {});
    if (isFree) {
      await expect.poll(() => host.ForceSSL, { timeout: 10_000 }).toBe(back === 'on');
      return;
    }
    const again = await open(ops(), new RegExp(`${hostname}[\\s\\S]*Force HTTPS: ${state} → ${back}`), 'Cancel');
    expect(askedIn(again.text)).toBe(needed(undone));
    expect(host.ForceSSL).toBe(state === 'on');
    await cancel(again);
  });
});
