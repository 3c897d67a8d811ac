import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

let workspace: TestWorkspace;
let ada: { id: string };
let ops: { id: string };

/** The lines that tell of interactions since the last call, and everything else that was logged meanwhile. */
function told(): { lines: Record<string, unknown>[]; others: Record<string, unknown>[] } {
  const all = workspace.logged.splice(0).map((line) => JSON.parse(line) as Record<string, unknown>);
  return { lines: all.filter(isLine), others: all.filter((line) => !isLine(line)) };
}
const isLine = ({ msg }: Record<string, unknown>) => msg === 'an interaction';

async function until(what: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 10_000; !what(); await new Promise((next) => setTimeout(next, 5)))
    if (Date.now() > deadline) throw new Error(`it did not come about: ${what}`);
}
const lineCame = () => until(() => workspace.logged.some((line) => isLine(JSON.parse(line))));

beforeAll(async () => {
  workspace = await startTestWorkspace();
  ada = workspace.slack.workspace.user('ada');
  ops = workspace.slack.workspace.channel('ops');
});
afterAll(() => workspace.close());

describe('At `info` an interaction is one line', () => {
  it('with who, where, what, how it ended and how long it took', async () => {
    told();
    const here = workspace.slack.person('ada').in('#ops');
    await here.type('/edge ssl force docs.example.com on');
    const preview = await here.expectMessage(/Force HTTPS/);
    await lineCame();
    const asked = told();
    expect(asked.lines).toEqual([
      expect.objectContaining({
        ...{ level: 30, kind: 'command', actor: ada.id, channel: ops.id, command: 'ssl force', outcome: 'asked' },
        ...{ interaction: expect.stringMatching(/^[0-9a-f]{8}$/), milliseconds: expect.any(Number) },
      }),
    ]);
    await preview.click(CONFIRM);
    await here.expectMessage(/switched force HTTPS .*on for/);
    await lineCame();
    const { lines, others } = told();
    expect(lines).toEqual([
      expect.objectContaining({ kind: 'action', actor: ada.id, command: 'ssl force', outcome: 'done' }),
    ]);
    const [{ interaction } = {}] = lines;
    expect(interaction).not.toBe(asked.lines[0]?.interaction);
    // Everything that was logged on the way has the same id.
    expect(new Set(others.filter(({ level }) => Number(level) < 40).map((line) => line.interaction))).toEqual(
      new Set([interaction]),
    );
    await here.type('/edge audit export');
    await here.expectMessage(/entr(?:y|ies), newest first/);
    const files = () => [...workspace.slack.workspace.files.values()].map(({ bytes }) => String(bytes)).join();
    await expect.poll(files).toContain(interaction);
    await lineCame();
  });

  it.each<[line: string, answer: RegExp, command: string, outcome: string]>([
    ['help', /Edgewise operates/, 'help', 'done'],
    ['zone list', /docs/, 'zone list', 'done'],
    ['ssl force', /./, 'ssl force', 'form'],
    ['frobnicate the hidden-value', /./, 'none', 'usage'],
    ['zone show no-such-zone-hidden-value', /./, 'zone show', 'usage'],
  ])('for what somebody asks by %s', async (line, answer, command, outcome) => {
    told();
    const here = workspace.slack.person('ada').in('#ops');
    await here.type(`/edge ${line}`);
    if (outcome !== 'form') await here.expectMessage(answer);
    await lineCame();
    const { lines } = told();
    expect(lines).toEqual([expect.objectContaining({ command, outcome, actor: ada.id })]);
    expect(JSON.stringify(lines)).not.toContain('hidden-value');
  });

  it('for what the policy forbids', async () => {
    told();
    const here = workspace.slack.person('ben').in('#ops');
    await here.type('/edge ssl force docs.example.com on');
    await here.expectMessage(/may not|not allowed|nobody/i);
    await lineCame();
    expect(told().lines).toEqual([expect.objectContaining({ command: 'ssl force', outcome: 'forbidden' })]);
  });
});
