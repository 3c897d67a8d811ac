import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTracing } from '../../src/tracing.ts';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace } from '../support/workspace.ts';

/** A span as OTLP/JSON has it. */
interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
  status: { code?: number; message?: string };
}

const VARIABLES = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_ENDPOINT: '' };
let collector: Server;
const bodies: string[] = [];
const spans: Span[] = [];
let logged: Record<string, unknown>[];

/** The bot makes one change while the SDK sends to a collector: a real one, which takes what it is sent as JSON. */
beforeAll(async () => {
  collector = createServer(async (request, response) => {
    const body = await text(request);
    bodies.push(`${request.url} ${body}`);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  collector.listen(0);
  await once(collector, 'listening');
  VARIABLES.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  Object.assign(process.env, VARIABLES);
  const { OTEL_EXPORTER_OTLP_ENDPOINT } = VARIABLES;
  const workspace = await startTestWorkspace({ environment: { OTEL_EXPORTER_OTLP_ENDPOINT } });
  const ops = workspace.slack.person('ada').in('#ops');
  await ops.type('/edge ssl force docs.example.com on');
  const preview = await ops.expectMessage(/Force HTTPS/);
  await preview.click(CONFIRM);
  await ops.expectMessage(/switched force HTTPS .*on for/);
  await ops.type('/edge zone show hidden-value');
  await ops.expectMessage(/hidden-value/);
  // What is left leaves when the bot is closed.
  await workspace.close();
  logged = workspace.logged.map((line) => JSON.parse(line));
  for (const body of bodies) {
    const { resourceSpans } = JSON.parse(body.slice(body.indexOf(' '))) as {
      resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
    };
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
  }
});
afterAll(() => {
  for (const name of Object.keys(VARIABLES)) delete process.env[name];
  collector.close();
});

const attributeOf = ({ attributes }: Span, key: string) => attributes.find((one) => one.key === key)?.value.stringValue;

/** The names from a span up to the one that its trace begins with. */
function pathOf(span: Span): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [span.name, ...(parent === undefined ? [] : pathOf(parent))];
}

describe('A change as a trace', () => {
  const request = () => spans.find(({ name }) => name === 'POST /pullzone/{id}/setForceSSL')!;

  it('leads from Slack’s payload over its steps to the one request of the platform', () => {
    expect(pathOf(request())).toEqual(['POST /pullzone/{id}/setForceSSL', 'send', 'slack action']);
    expect(attributeOf(request(), 'outcome')).toMatch(/^20[04]$/);
  });

  it('has its statements of the store and its calls of Slack in it, under the same id as the log', () => {
    const { traceId } = request();
    const whole = spans.filter((span) => span.traceId === traceId);
    expect(new Set(whole.map(({ name }) => name))).toEqual(
      new Set([
        ...['slack action', 'check the rights', 'look again', 'send', 'POST /pullzone/{id}/setForceSSL'],
        ...whole.map(({ name }) => name).filter((name) => /^(store|slack|GET) /.test(name)),
      ]),
    );
    expect(whole.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['store UPDATE confirmations', 'store INSERT audit', 'slack chat.postMessage']),
    );
    const line = logged.find(({ msg, kind }) => msg === 'an interaction' && kind === 'action')!;
    // Deliveries of many are written down together.
    const own = whole.filter((span) => attributeOf(span, 'interaction') !== undefined);
    expect(new Set(own.map((span) => attributeOf(span, 'interaction')))).toEqual(new Set([line.interaction]));
    for (const { name } of whole.filter((span) => !own.includes(span))) expect(name).toMatch(/^store \w+ deliveries$/);
    expect(attributeOf(whole.find(({ name }) => name === 'slack action')!, 'outcome')).toBe('done');
  });

  it('begins with a payload, and nothing else begins one', () => {
    const first = new Set(spans.filter(({ parentSpanId }) => !parentSpanId).map(({ name }) => name));
    expect(first).toEqual(new Set(['slack command', 'slack action']));
  });

  it('goes to the collector’s traces alone, with nothing that somebody typed and no secrets', () => {
    expect(new Set(bodies.map((body) => body.split(' ', 1)[0]))).toEqual(new Set(['/v1/traces']));
    const all = bodies.join();
    expect(all).toContain('"edgewise"');
    for (const typed of ['hidden-value', 'docs.example.com', 'xoxb-', 'command_args'])
      expect(all, typed).not.toContain(typed);
  });
});

describe('Without OpenTelemetry', () => {
  const lines: { msg: string; install?: string }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });

  it('nothing of it is loaded where no address is set', async () => {
    let loads = 0;
    const load = async () => {
      loads += 1;
      throw new Error('not wanted');
    };
    expect(await openTracing(undefined, log, load as never)).toBeUndefined();
    expect([loads, lines]).toEqual([0, []]);
  });

  it('the bot runs, and a line says what to install, where one is set', async () => {
    const load = async () => {
      throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
    };
    expect(await openTracing('http://127.0.0.1:9', log, load as never)).toBeUndefined();
    expect(lines).toEqual([
      expect.objectContaining({
        msg: 'OTEL_EXPORTER_OTLP_ENDPOINT is set, and @opentelemetry/sdk-node is not installed: no traces are sent',
        install: 'npm install @opentelemetry/sdk-node@0.223',
      }),
    ]);
  });
});
