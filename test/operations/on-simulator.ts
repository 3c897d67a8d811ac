import {
  type PlatformSimulator,
  type SimulatorOptions,
  startPlatformSimulator,
} from '../../playground/platform/simulator.ts';
import { createCatalogue } from '../../src/operations/catalogue.ts';
import { createPlatform, type Platform } from '../../src/platform/client.ts';
import { Secret } from '../../src/secret.ts';
import type { Setting } from './performing.ts';

/** The real client against the simulator, as a setting for `prepare`. Close it when done. */
export interface OnSimulator extends Setting {
  simulator: PlatformSimulator;
  platform: Platform;
  close(): Promise<void>;
}

/** Starts a simulator and a client of it. */
export async function onSimulator(options: SimulatorOptions = {}): Promise<OnSimulator> {
  const simulator = await startPlatformSimulator(options);
  const platform = createPlatform({
    apiUrl: simulator.urls.api,
    accessKey: Secret.of(simulator.environment.PLATFORM_ACCESS_KEY ?? ''),
    retries: 0,
  });
  return {
    simulator,
    platform,
    catalogue: createCatalogue(platform, () => new Date()),
    async close() {
      await platform.close();
      await simulator.close();
    },
  };
}
