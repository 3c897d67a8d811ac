import { createRandom, type Random } from '../random.ts';
import type { App, Volume } from './account.ts';

const NAMES = [
  'stock-api', 'checkout-worker', 'image-proxy', 'search-indexer', 'mailer', 'webhooks', 'session-store', 'cart-api',
  'recommendations', 'pdf-renderer', 'feed-exporter', 'translations', 'price-sync', 'returns-portal', 'chat-widget',
  'status-probe', 'metrics-relay', 'staging-web', 'staging-api', 'load-tests', 'legacy-cron', 'geo-lookup', 'demo',
]; // biome-ignore format: a list of names reads better as a block

const STATUSES: Record<string, string> = {
  mailer: 'progressing',
  'load-tests': 'inactive',
  'legacy-cron': 'failing',
  'staging-api': 'suspended',
  demo: 'unknown',
};

const VOLUMES: Record<string, readonly (readonly [string, number, number])[]> = {
  'stock-api': [['stock-data', 10.5, 2]],
  'search-indexer': [['index', 40, 3], ['spool', 2.25, 3]],
  'session-store': [['sessions', 5, 2]],
  'pdf-renderer': [['cache', 1.5, 1]],
  'legacy-cron': [['state', 0.5, 1]],
}; // biome-ignore format: one volume per pair

const REGIONS = ['DE', 'NY', 'SG', 'UK', 'LA'];

/** The container applications of the seeded account: more than one default page. */
export function seedApps(seed: number): App[] {
  return NAMES.map((name, index) => {
    // Ids are the same for every seed, so that they can be typed.
    const random = createRandom('app', name);
    const id = index === 0 ? 'HbqFNk0KZjzYOcp' : random.text(15);
    const isPublic = !['mailer', 'price-sync', 'legacy-cron', 'demo'].includes(name);
    return {
      id,
      name,
      description: `default_${id}`,
      ...(isPublic ? { displayEndpoint: endpointOf(name, index, random) } : {}),
      status: STATUSES[name] ?? 'active',
      image: `registry.example.com/shop/${name}:${1 + (index % 4)}.${index}.${index % 7}`,
      password: createRandom(seed, 'password', name).text(24),
      instances: STATUSES[name] === 'inactive' || STATUSES[name] === 'suspended' ? 0 : 1 + (index % 3),
      restarts: name === 'legacy-cron' ? 14 : 0,
      volumes: (VOLUMES[name] ?? []).map(([volume, size, instances]) =>
        volumeOf(volume, size, instances, name, createRandom(seed, 'volume', name, volume)),
      ),
      ...(name === 'stock-api' ? { pullZoneId: 308_013 } : {}),
    };
  });
}

function endpointOf(name: string, index: number, random: Random): NonNullable<App['displayEndpoint']> {
  const anycast = index % 5 === 3;
  return {
    id: random.text(12),
    address: anycast ? `203.0.113.${10 + index}` : `${name === 'stock-api' ? 'stock' : name}.example.com`,
    type: anycast ? 'anycast' : 'cdn',
  };
}

function volumeOf(name: string, size: number, count: number, app: string, random: Random): Volume {
  const volumeInstances = Array.from({ length: count }, (_, index) => {
    const detached = count > 1 && index === count - 1;
    const pod = `${app}-${random.text(5, 'abcdefghijklmnopqrstuvwxyz0123456789')}`;
    return {
      id: `vi-${random.text(10)}`,
      attachedPods: detached ? [] : [pod],
      attachedContainers: detached ? [] : [`${pod}/${app}`],
      region: REGIONS[index % REGIONS.length] ?? 'DE',
      status: detached ? 'detached' : app === 'legacy-cron' ? 'failed' : 'attached',
      size,
      usage: Math.round(size * (0.1 + random.next() * 0.8) * 1000) / 1000,
      set: `set-${index + 1}`,
    };
  });
  const attached = volumeInstances.filter((instance) => instance.attachedPods.length > 0);
  return {
    name,
    id: `vol-${random.text(12)}`,
    size,
    totalUsage: Math.round(volumeInstances.reduce((sum, instance) => sum + instance.usage, 0) * 1000) / 1000,
    totalInstancesCount: count,
    attachedInstancesCount: attached.length,
    containersCount: attached.length,
    volumeInstances,
  };
}
