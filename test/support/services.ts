import { pino } from 'pino';
import type { Services } from '../../src/changes/services.ts';
import { createPlatform } from '../../src/platform/client.ts';
import { Secret } from '../../src/secret.ts';
import type { Bot } from '../../src/slack/services.ts';

/** Something that a test does not give: whoever uses it is told so. */
export function absent<T>(name: string): T {
  const missing = (): never => {
    throw new Error(`The test did not expect ${name}.`);
  };
  return new Proxy(missing, { get: missing }) as T;
}

/** Everything that changes are made with, of which a test gives what it is about. No platform is behind it. */
export function changeServices(
  given: Pick<Services, 'operations' | 'store' | 'policy' | 'now'> & Partial<Services>,
): Services & Pick<Bot, 'directory'> {
  return {
    directory: { catchUp: async () => undefined },
    platform: createPlatform({ apiUrl: 'http://127.0.0.1:9', accessKey: Secret.of('unused'), now: given.now }),
    catalogue: absent('a list of the platform'),
    reports: {
      ...absent<Services['reports']>('a report'),
      incidents: async () => [],
      doubts: async () => [],
      recovered: async () => [],
    },
    health: absent('the health'),
    timeLine: absent('the time line'),
    hours: absent('the hours of a zone'),
    described: async () => undefined,
    actorNow: async (actor) => actor,
    seePlace: async (place) => ({ ...place, external: false }),
    names: { person: async () => undefined, channel: async (id) => id },
    log: pino({ level: 'silent' }),
    file: absent('a file'),
    summariseLog: absent('a log'),
    outlineDefinition: absent('a definition'),
    unnotified: new Set(),
    ...given,
  };
}
