import { createRandom, type Random } from '../random.ts';
import type { Account, ApiKey } from './account.ts';
import { seedApps } from './apps.ts';
import { seedDatabases } from './databases.ts';
import { seedScripts } from './scripts.ts';
import { seedShieldZones } from './shield.ts';
import { seedZones } from './zones.ts';

/** The account that every simulator starts with: names and ids are fixed, secrets depend on the seed. */
export function seedAccount(seed: number, now: Date): Account {
  const random = createRandom(seed, 'account');
  const zones = seedZones(seed);
  return {
    keys: seedKeys(random),
    zones,
    scripts: seedScripts(random, zones),
    shieldZones: seedShieldZones(now),
    kept: [],
    apps: seedApps(seed),
    databases: seedDatabases(seed, now),
  };
}

/** The API keys: the owner's first, then those of others with fewer roles. */
function seedKeys(random: Random): ApiKey[] {
  const roles = [
    // The bot is given the owner's key, which may do everything.
    ['User', 'UserApi'],
    ['UserApi'],
    ['SubuserAPIStatistics'],
    ['SubuserAPIPullZones', 'SubuserAPIStatistics'],
    ['SubuserAPICompute'],
    ...Array.from({ length: 9 }, () => ['ScopedApiKey']),
  ];
  return roles.map((Roles, index) => {
    const hex = (length: number) => random.text(length, '0123456789abcdef');
    const uuid = [8, 4, 4, 4, 12].map(hex).join('-');
    return { Id: 90_210 + index * 37, Key: `${uuid}-${hex(8)}`, Roles };
  });
}
