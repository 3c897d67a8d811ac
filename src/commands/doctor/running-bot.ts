import { isIPv6 } from 'node:net';
import * as z from 'zod';
import { type Config, metricsPort } from '../../config.ts';

const health = z.object({ parts: z.object({ slack: z.object({ mode: z.string(), connections: z.number() }) }) });

/** By its own health. */
export interface RunningBot {
  connections: number;
  /** Requests signed with its secret, and with another one; undefined where its metrics cannot be read. */
  came: { signed: number; otherwise: number } | undefined;
}

/** Undefined: nobody has the port, or something else. */
export async function runningBot(config: Config): Promise<RunningBot | undefined> {
  const { HOST: host = '', PORT: port, METRICS_TOKEN: token } = config;
  // All addresses include this one.
  const base = /^(|0\.0\.0\.0|::)$/.test(host) ? 'http://127.0.0.1' : `http://${isIPv6(host) ? `[${host}]` : host}`;
  const parsed = health.safeParse(await fetched(`${base}:${port}/health/live`).then(jsonOf));
  if (!parsed.success) return undefined;
  const headers = token === undefined ? undefined : { authorization: `Bearer ${token.reveal()}` };
  const watched = metricsPort(config);
  const metrics = watched === undefined ? undefined : await fetched(`${base}:${watched}/metrics`, headers);
  const lines = metrics?.split('\n') ?? [];
  const counted = (name: string) =>
    lines.filter((line) => line.startsWith(name)).reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  return {
    connections: parsed.data.parts.slack.connections,
    came:
      metrics === undefined
        ? undefined
        : {
            signed: counted('edgewise_slack_payloads_total{'),
            otherwise: counted('edgewise_refused_requests_total{reason="wrong"}'),
          },
  };
}

async function fetched(address: string, headers: Record<string, string> = {}): Promise<string | undefined> {
  const answer = fetch(address, { headers, redirect: 'error', signal: AbortSignal.timeout(3_000) });
  return answer.then(
    (response) => (response.ok ? response.text() : undefined),
    () => undefined,
  );
}

function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
