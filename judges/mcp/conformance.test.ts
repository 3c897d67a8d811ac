import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ASKED, CONFIRM } from '../../test/support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../../test/support/workspace.ts';
import { registerFixtures, stateCodec } from './fixtures.ts';

/** Not installed with our packages, because it runs on no Node 20. */
const SUITE = '@modelcontextprotocol/conformance';
const VERSION = '0.2.0-alpha.12';
const NODE = `node-${process.platform}-${process.arch}`;

/** Beside our tools, by nobody but this judge. */
vi.mock('@modelcontextprotocol/server', async (original) => {
  const sdk = await original<typeof import('@modelcontextprotocol/server')>();
  class McpServer extends sdk.McpServer {
    constructor(...[identity, options]: ConstructorParameters<typeof sdk.McpServer>) {
      const quiet = { listChanged: false };
      const capabilities = { ...options?.capabilities, prompts: quiet, resources: quiet, completions: {}, logging: {} };
      super(identity, { ...options, capabilities, requestState: { verify: stateCodec.verify } });
      registerFixtures(this);
    }
  }
  return { ...sdk, McpServer };
});

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
}

let workspace: TestWorkspace;
let folder: string;
/** The suite shows no token: this hands everything on with that of ada. */
const door = createServer((asked, answer) => {
  const headers = { ...asked.headers, authorization: `Bearer ${token}` };
  const { method, url: path } = asked;
  const sent = request({ port: workspace.app.port, method, path, headers }, (came) => {
    answer.writeHead(came.statusCode ?? 500, came.headers);
    came.pipe(answer);
  });
  sent.on('error', () => answer.destroy());
  asked.pipe(sent);
});
let token = '';

beforeAll(async () => {
  workspace = await startTestWorkspace();
  folder = mkdtempSync(join(tmpdir(), 'edgewise-mcp-'));
  const ada = workspace.slack.person('ada').in('@edgewise');
  await ada.type('/edge token-for-agents create');
  await (await ada.expectMessage(ASKED)).click(CONFIRM);
  const view = await workspace.slack.person('ada').expectModal('Token for agents');
  await view.expectChange(/Your token for agents/);
  [token = ''] = /edgewise_[\w-]{43}/.exec(view.text) ?? [];
  await new Promise<void>((listening) => door.listen(0, '127.0.0.1', listening));
});
afterAll(async () => {
  door.close();
  await workspace.close();
  rmSync(folder, { recursive: true });
});

it('the conformance suite passes through the door of the bot', { timeout: 600_000 }, async () => {
  const run = promisify(execFile);
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder];
  await run('npm', ['install', ...flags, `${SUITE}@${VERSION}`, `${NODE}@22`]);
  const [node, suite] = [`${NODE}/bin/node`, `${SUITE}/dist/index.js`].map((path) =>
    join(folder, 'node_modules', path),
  );
  const url = `http://127.0.0.1:${(door.address() as AddressInfo).port}/mcp`;
  const results = join(folder, 'results');
  const words = [suite!, 'server', '--url', url, '--requirements', '2026-07-28', '-o', results];
  // Its exit code counts extensions, too.
  const ran = await run(node!, words).catch((error: Error & { stdout: string; stderr: string }) => error);
  const found = readdirSync(results).flatMap((scenario) =>
    (JSON.parse(readFileSync(join(results, scenario, 'checks.json'), 'utf8')) as Check[]).map((check) => ({
      ...check,
      // `server-tools-list-2026-11-27T04-06-46-783Z`
      scenario: scenario.slice('server-'.length, -'-2026-11-27T04-06-46-783Z'.length),
    })),
  );
  // An extension, which the SDK does not have. The suite does not count it.
  const counted = found.filter(({ scenario }) => !scenario.startsWith('tasks-'));
  const by = (status: Check['status']) => counted.filter((check) => check.status === status);
  const wrong = counted.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  console.log(`${by('SUCCESS').length} checks pass, ${wrong.length} fail, ${by('SKIPPED').length} do not apply.`);
  expect(wrong.map(({ scenario, id, errorMessage }) => `${scenario} ${id}: ${errorMessage}`)).toEqual([]);
  expect(by('SUCCESS').length, ran.stdout + ran.stderr).toBeGreaterThan(100);
  expect(workspace.platform.writes()).toEqual([]);
});
