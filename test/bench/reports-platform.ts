/** The platform's simulator with five hundred zones in a process of its own: `reports-platform.ts <milliseconds ahead>`. */
import { startPlatformSimulator } from '../../playground/platform/simulator.ts';

const ZONES = 500;

/** What it says when it is asked. */
export interface PlatformState {
  environment: Record<string, string>;
  zones: number;
  requests: number;
  /** How many it refused as too many. */
  refused: number;
  /** The most requests within any ten seconds that one zone's logs got. */
  busiest: number;
}

const ahead = Number(process.argv[2] ?? 0);
const simulator = await startPlatformSimulator({ now: () => new Date(Date.now() + ahead) });
const { zones } = simulator.account;
// Copies of the seeded ones under other names.
const models = zones.filter((zone) => zone.Enabled !== false && zone.Suspended !== true);
for (let index = zones.length; index < ZONES; index += 1) {
  const model = models[index % models.length]!;
  zones.push({ ...structuredClone(model), Id: 400_000 + index, Name: `zone-${index}` });
}

function busiest(): number {
  const byZone = new Map<string, number[]>();
  for (const { service, path, at } of simulator.requests) {
    if (service !== 'logging') continue;
    const zone = /\d{6}/.exec(path)?.[0] ?? path;
    const times = byZone.get(zone) ?? [];
    byZone.set(zone, times);
    times.push(at.getTime());
  }
  let most = 0;
  for (const times of byZone.values()) {
    for (const [index, at] of times.entries())
      most = Math.max(most, times.slice(index).filter((other) => other - at < 10_000).length);
  }
  return most;
}

const state = (): PlatformState => ({
  environment: simulator.environment,
  zones: zones.length,
  requests: simulator.requests.length,
  refused: simulator.requests.filter(({ status }) => status === 429).length,
  busiest: busiest(),
});
process.on('message', () => process.send?.(state()));
process.on('disconnect', () => process.exit(0));
process.send?.(state());
