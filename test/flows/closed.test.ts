import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

/** Between the bot and the platform: holds every request while it is shut. */
interface Gate {
  url: string;
  /** The platform behind it. */
  behind: string;
  /** Resolves when the first request waits. */
  shut(): Promise<void>;
  open(): void;
  close(): Promise<void>;
}

async function startGate(): Promise<Gate> {
  let isOpen: Promise<void> = Promise.resolve();
  let open = () => {};
  let came = () => {};
  const server = createServer(async (request, response) => {
    came();
    await isOpen;
    const headers = Object.entries(request.headers).filter(
      ([name]) => !['host', 'connection', 'content-length'].includes(name),
    );
    const answer = await fetch(`${gate.behind}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers.map(([name, value]) => [name, String(value)]) as [string, string][],
      ...(request.method === 'GET' ? {} : { body: await text(request) }),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const gate: Gate = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behind: '',
    shut() {
      isOpen = new Promise((resolve) => {
        open = resolve;
      });
      return new Promise((resolve) => {
        came = resolve;
      });
    },
    open: () => open(),
    async close() {
      open();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return gate;
}

describe('a form that somebody closes before its answer comes', () => {
  let workspace: TestWorkspace;
  let gate: Gate;
  const ada = () => workspace.slack.person('ada');
  const ops = () => ada().in('#ops');

  beforeAll(async () => {
    gate = await startGate();
    workspace = await startTestWorkspace({
      environment: ({ urls }) => {
        gate.behind = urls.api;
        return { PLATFORM_API_URL: gate.url, PLATFORM_DATABASE_API_URL: `${gate.url}/database` };
      },
    });
  });
  afterAll(async () => {
    await workspace.close();
    await gate.close();
  });
  afterEach(() => {
    const wrong = ops().messages.filter((card) => /Something went wrong|form was closed/.test(card.text));
    expect(wrong).toEqual([]);
    expect(workspace.logged.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });

  /** Types the line, and closes its form while the platform is asked. */
  async function closed(line: string, title: string, fields?: Record<string, string>): Promise<void> {
    const held = fields === undefined ? gate.shut() : undefined;
    await ops().type(`/edge ${line}`);
    const form = await ada().expectModal(title, { ready: fields !== undefined });
    const waits = held ?? gate.shut();
    if (fields !== undefined) {
      await form.fill(fields);
      await form.submit();
    }
    await waits;
    await form.close();
    gate.open();
  }

  it('has the question in the conversation, where it can be gone on with', async () => {
    await closed('app delete stock-api', 'App delete');
    const question = await ops().expectMessage(/stock-api/);
    await question.click('Continue …');
    const confirm = await ada().expectModal('App delete', { ready: true });
    expect(confirm.text).toMatch(/stock-api/);
    await confirm.close();
  });

  it('has the preview in the conversation, which is confirmed there', async () => {
    await closed('ssl force', 'Force HTTPS', { Hostname: 'dl.example.com', State: 'on' });
    const preview = await ops().expectMessage(/Force HTTPS: off → on/);
    await preview.click(CONFIRM);
    await preview.expectGone();
  });

  it('has the problem in the conversation, with what was typed', async () => {
    await closed('app delete no-such-app', 'App delete');
    const problem = await ops().expectMessage(/no-such-app/);
    expect(problem.buttons).toEqual(['Open the form']);
  });

  it('has its result in the conversation, once', async () => {
    await closed('zone show', 'Zone show', { Zone: 'shop' });
    await ops().expectMessage(/shop/);
    const results = ops().messages.filter((card) => /308002/.test(card.text));
    expect(results).toHaveLength(1);
  });
});
