import { DAY } from '../clock.ts';
import { createRandom } from '../random.ts';
import type { Database } from './account.ts';
import { seedToken, type TokenState } from './tokens.ts';

/** The databases of the seeded account. */
export function seedDatabases(seed: number, now: Date): Database[] {
  return [
    seedDatabase(seed, now, 'shop', 'db_01JZ7K3M9QW4T8X2C6V5B1N0HA', 'DE'),
    seedDatabase(seed, now, 'events', 'db_01JZ7K5R2YD7F3P9G8S4E6M1KB', 'NY'),
  ];
}

function seedDatabase(seed: number, now: Date, name: string, id: string, region: string): Database {
  const random = createRandom(seed, 'database', name);
  const groupId = `group_${id.slice(3)}`;
  const token = (authorization: 'full-access' | 'read-only', expires: Date | null, revoked = false): TokenState => ({
    token: seedToken(random, { id, groupId, authorization, issued: new Date(now.getTime() - 60 * DAY), expires }),
    authorization,
    expires,
    revoked,
  });
  const fullAccess = token('full-access', null);
  const readOnly = token('read-only', null);
  const revoked = token('full-access', null, true);
  const expired = token('full-access', new Date(now.getTime() - DAY));
  return {
    id,
    name,
    groupId,
    region,
    url: '',
    tokens: [fullAccess, readOnly, revoked, expired],
    seeded: {
      fullAccess: fullAccess.token,
      readOnly: readOnly.token,
      revoked: revoked.token,
      expired: expired.token,
    },
  };
}
