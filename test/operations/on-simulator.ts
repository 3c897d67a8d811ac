import {
  type PlatformSimulator,
  type SimulatorOptions,
  startPlatformSimulator,
} from '../../playground/platform/simulator.ts';
import { createCatalogue } from '../../src/operations/catalogue.ts';
import { createPlatform, type Platform } from '../../src/platform/client.ts';
import { Secret } from '../../src/secret.ts';
import { NOW, type Setting } from './performing.ts';

/** The real client against the simulator, as a setting for `prepare`. Close it when done. */
export interface OnSimulator extends Setting {
  simulator: PlatformSimulator;
  platform: Platform;
  close(): Promise<void>;
}

/** Starts a simulator and a client of it; both stand still at NOW. */
export async function onSimulator(options: SimulatorOptions = {}): Promise<OnSimulator> {
  const simulator = await startPlatformSimulator({ now: () => NOW, ...options });
  const platform = createPlatform({
    apiUrl: simulator.urls.api,
    loggingUrl: simulator.urls.logging,
    databaseHosts: simulator.environment.PLATFORM_DATABASE_HOST?.split(','),
    accessKey: Secret.of(simulator.environment.PLATFORM_ACCESS_KEY ?? ''),
    retries: 0,
    now: () => NOW,
  });
  return {
    simulator,
    platform,
    catalogue: createCatalogue(platform, () => NOW),
    async close() {
      await platform.close();
      await simulator.close();
    },
  };
}
