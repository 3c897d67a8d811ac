import { afterAll, beforeAll } from 'vitest';
import {
  type PlatformSimulator,
  type SimulatorOptions,
  startPlatformSimulator,
} from '../../../playground/platform/simulator.ts';
import type { Message } from '../../../src/blocks/message.ts';
import { UsageError } from '../../../src/errors.ts';
import { createCatalogue } from '../../../src/operations/catalogue.ts';
import type { Context, ResolveContext } from '../../../src/operations/context.ts';
import { parseCommand } from '../../../src/operations/grammar.ts';
import { operations } from '../../../src/operations/index.ts';
import type { AnyOperation, Preflight, Preview } from '../../../src/operations/operation.ts';
import { createPlatform, type Platform } from '../../../src/platform/client.ts';
import { Secret } from '../../../src/secret.ts';
import { contextOf, NOW } from '../performing.ts';

/** What a test may put in place of what the context has. */
export type Overrides = Partial<Context>;

/** A typed line with its arguments resolved against a platform. */
export interface Performance {
  operation: AnyOperation;
  target: string;
  canonical: Record<string, string>;
  preview(): Promise<Preview>;
  preflight(): Promise<Preflight>;
  run(): Promise<{ result: unknown; message: Message; revealed: Message | undefined }>;
}

/** Does to a line what the runner does before it asks, with a context of the test's own. */
export async function perform(line: string, context: Context): Promise<Performance> {
  const { operation, given, missing } = parseCommand(line, operations, NOW);
  if (missing.length > 0) throw new UsageError(`Missing: ${missing.join(', ')}`);
  const values: Record<string, unknown> = {};
  const canonical: Record<string, string> = {};
  const resolving: ResolveContext = { ...context, given, fresh: false };
  for (const [key, kind] of Object.entries(operation.args)) {
    values[key] = await kind.resolve(given[key], resolving);
    const text = kind.textOf(values[key]);
    if (text !== undefined) canonical[key] = text;
  }
  const reader = { locale: 'en-US', timezone: 'UTC', now: NOW };
  return {
    operation,
    target: operation.target(values),
    canonical,
    async preview() {
      if (operation.preview === undefined) throw new Error(`${operation.name} has no preview.`);
      return operation.preview(values, context);
    },
    async preflight() {
      if (operation.preflight === undefined) throw new Error(`${operation.name} has no preflight.`);
      return operation.preflight(values, context);
    },
    async run() {
      const result = await operation.run(values, context);
      return {
        result,
        message: operation.render(result, values, reader),
        revealed: operation.reveal?.(result, values),
      };
    },
  };
}

/** The real client on a simulator that stands still at NOW. */
export interface Simulated {
  readonly simulator: PlatformSimulator;
  readonly platform: Platform;
  /** The queries of the requests to a path, in order. */
  queriesOf(path: string): Record<string, string>[];
  perform(line: string, overrides?: Overrides): Promise<Performance>;
}

/** Starts a simulator before the tests of the file and closes it after them. */
export function useSimulated(options: SimulatorOptions = {}): Simulated {
  let simulator: PlatformSimulator | undefined;
  let platform: Platform | undefined;
  beforeAll(async () => {
    simulator = await startPlatformSimulator({ now: () => NOW, ...options });
    const { environment } = simulator;
    platform = createPlatform({
      apiUrl: environment.PLATFORM_API_URL ?? '',
      originLogsUrl: environment.PLATFORM_ORIGIN_LOGS_URL,
      loggingUrl: environment.PLATFORM_LOGGING_URL,
      databaseHosts: environment.PLATFORM_DATABASE_HOST?.split(','),
      accessKey: Secret.of(environment.PLATFORM_ACCESS_KEY ?? ''),
      now: () => NOW,
    });
  });
  afterAll(async () => {
    await platform?.close();
    await simulator?.close();
  });
  const running = () => {
    if (simulator === undefined || platform === undefined) throw new Error('The simulator is not running yet.');
    return { simulator, platform };
  };
  return {
    get simulator() {
      return running().simulator;
    },
    get platform() {
      return running().platform;
    },
    queriesOf: (path) =>
      running()
        .simulator.requests.filter((request) => request.path === path)
        .map(({ query }) => query),
    async perform(line, overrides = {}) {
      const { platform: client } = running();
      return perform(line, {
        ...contextOf(),
        platform: client,
        catalogue: createCatalogue(client, () => NOW),
        ...overrides,
      });
    },
  };
}
