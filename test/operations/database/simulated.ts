import { afterAll, beforeAll } from 'vitest';
import {
  type PlatformSimulator,
  type SimulatorOptions,
  startPlatformSimulator,
} from '../../../playground/platform/simulator.ts';
import { UsageError } from '../../../src/errors.ts';
import { createCatalogue } from '../../../src/operations/catalogue.ts';
import type { Context } from '../../../src/operations/context.ts';
import { operations } from '../../../src/operations/index.ts';
import { createPlatform, type Platform } from '../../../src/platform/client.ts';
import { Secret } from '../../../src/secret.ts';
import { parseCommand } from '../../support/grammar.ts';
import { contextOf, NOW, type Prepared, prepared } from '../performing.ts';

/** What a test may put in place of what the context has. */
export type Overrides = Partial<Context>;

/** A typed line with its arguments resolved against a platform. */
export type Performance = Omit<Prepared, 'run' | 'perform'> & { run: Prepared['perform'] };

/** Resolves a line as changes do, in a context of the test's own. */
export async function perform(line: string, context: Context): Promise<Performance> {
  const { operation, given, missing } = parseCommand(line, operations, NOW);
  if (missing.length > 0) throw new UsageError(`Missing: ${missing.join(', ')}`);
  const { perform: run, ...rest } = await prepared(operation, given, context);
  return { ...rest, run };
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
