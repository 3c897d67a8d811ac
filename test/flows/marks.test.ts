import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const MARKS_TOKEN = 'ci-jobs-leave-marks-with-this';
const DEPLOY = { text: 'deploy 4f2a of checkout', zone: 'main-site', url: 'https://ci.example.com/runs/7' };

let workspace: TestWorkspace;

const post = (body: unknown, token = MARKS_TOKEN) =>
  fetch(`http://127.0.0.1:${workspace.app.port}/marks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** How many lines `/edge changes list` shows that hold the text. */
async function shown(text: string): Promise<number> {
  const ops = workspace.slack.person('ada').in('#ops');
  await ops.type('/edge changes list');
  const said = await ops.expectMessage(/newest first|Nothing was changed/);
  return said.text.split(text).length - 1;
}

describe.each([
  ['over HTTP', false],
  ['over Socket Mode', true],
])('a mark from outside, %s,', (_, socket) => {
  beforeAll(async () => {
    workspace = await startTestWorkspace({ socket, environment: { MARKS_TOKEN } });
  });
  afterAll(() => workspace.close());

  it('is shown among the changes, once, however often a job is repeated', async () => {
    for (const _ of [1, 2, 3]) expect((await post(DEPLOY)).status).toBe(204);
    expect(await shown('deploy 4f2a of checkout')).toBe(1);
  });

  it('names no zone, or one by its id', async () => {
    expect((await post({ text: 'everything was restarted' })).status).toBe(204);
    expect((await post({ text: 'config v9', zone: 308001 })).status).toBe(204);
    expect([await shown('everything was restarted'), await shown('config v9')]).toEqual([1, 1]);
  });

  it('is refused with another token, without a word and without a trace', async () => {
    for (const token of ['', 'guessed', `${MARKS_TOKEN} `.repeat(2)]) {
      const answer = await post({ text: 'never seen' }, token);
      expect([answer.status, await answer.text()]).toEqual([401, '']);
    }
    expect(await shown('never seen')).toBe(0);
  });

  it.each([
    ['no JSON', 'deploy', 400, /not a mark.*Send JSON/],
    ['no text', { zone: 'main-site' }, 400, /not a mark/],
    ['an empty text', { text: ' \n' }, 400, /not a mark/],
    ['a field that there is not', { text: 'x', zones: 'main-site' }, 400, /not a mark/],
    ['an address that is no https', { text: 'x', url: 'javascript:alert(1)' }, 400, /not a mark/],
    ['an address with a password', { text: 'x', url: 'https://a:b@ci.example.com' }, 400, /not a mark/],
    [
      'an unknown zone',
      { text: 'x', zone: 'main-sit' },
      400,
      /^There is no pull zone “main-sit”\. Did you mean main-site/,
    ],
    ['more than 1 kB', { text: 'x'.repeat(1_000) }, 413, /^$/],
  ])('is refused with %s', async (_, body, status, words) => {
    const answer = await post(body);
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringMatching(words)]);
  });

  it('is refused while there are too many', async () => {
    const all = await Promise.all(Array.from({ length: 60 }, (_, at) => post({ text: `loop ${at}` })));
    const refused = all.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(20);
    expect(refused[0]!.headers.get('retry-after')).toBe('60');
  });
});

it('has no address without MARKS_TOKEN', async () => {
  workspace = await startTestWorkspace();
  expect((await post(DEPLOY)).status).toBe(404);
  await workspace.close();
});
