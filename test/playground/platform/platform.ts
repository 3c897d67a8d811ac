import { afterAll, beforeAll } from 'vitest';
import {
  type PlatformSimulator,
  type SimulatorOptions,
  startPlatformSimulator,
} from '../../../playground/platform/simulator.ts';

/** The instant at which the tests' simulators stand still: a Monday. */
export const NOON = new Date('2026-06-15T12:30:00Z');

/** An answer of the simulator. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape are looked into here
  body: any;
}

/** The body and the headers of a request. */
export interface Extra {
  body?: unknown;
  headers?: Record<string, string>;
}

/** A simulator for the tests of one file, with ways to ask it. */
export interface Platform {
  readonly simulator: PlatformSimulator;
  /** Asks with the owner's key, unless `headers` has other credentials. */
  ask(service: 'api' | 'originLogs' | 'logging', method: string, path: string, extra?: Extra): Promise<Reply>;
  get(path: string, extra?: Extra): Promise<Reply>;
  logs(path: string, extra?: Extra): Promise<Reply>;
}

/** Starts a simulator before the tests of the file and closes it after them. */
export function usePlatform(options: SimulatorOptions = {}): Platform {
  let simulator: PlatformSimulator | undefined;
  beforeAll(async () => {
    simulator = await startPlatformSimulator({ now: () => NOON, ...options });
  });
  afterAll(() => simulator?.close());
  const running = (): PlatformSimulator => {
    if (!simulator) {
      throw new Error('The simulator is not running yet.');
    }
    return simulator;
  };
  const ask: Platform['ask'] = (service, method, path, { body, headers } = {}) => {
    const authorized = headers && ('AccessKey' in headers || 'Authorization' in headers || 'none' in headers);
    const key = { AccessKey: running().environment.PLATFORM_ACCESS_KEY ?? '' };
    return send(running().urls[service] + path, method, {
      ...(body === undefined ? {} : { body }),
      headers: { ...(authorized ? {} : key), 'content-type': 'application/json', ...headers },
    });
  };
  return {
    get simulator() {
      return running();
    },
    ask,
    get: (path, extra) => ask('api', 'GET', path, extra),
    logs: (path, extra) => ask('logging', 'GET', path, extra),
  };
}

/** Sends a request as it stands; a body that is not text is sent as JSON. */
export async function send(url: string, method: string, { body, headers = {} }: Extra = {}): Promise<Reply> {
  const sent = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'none'));
  const response = await fetch(url, {
    method,
    headers: sent,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
