import { expect } from 'vitest';
import { type Message, message } from '../../src/blocks/message.ts';
import type { Platform } from '../../src/platform/client.ts';
import { PlatformError } from '../../src/platform/errors.ts';
import type { PullZone } from '../../src/platform/resources/pull-zones.ts';
import type { AnyReport, ReportContext } from '../../src/reports/report.ts';
import { createHoursReader, type HoursReader } from '../../src/reports/zone-hours.ts';
import { unreadable } from '../support/readable.ts';

export const UTC = { locale: 'en-US', timezone: 'UTC' };

export function zone(Id: number, Name: string, rest: Partial<PullZone> = {}): PullZone {
  return { Id, Name, Hostnames: [], ...rest };
}

export function refused(status: number, message: string, key?: string): PlatformError {
  return new PlatformError(message, { status, service: 'logging', method: 'GET', path: '/x', key });
}

/** What was read of a platform serves again. */
const readers = new WeakMap<object, HoursReader>();

/** Only what the test gives; anything else that is asked is an error of the test's. */
export function contextOf(
  platform: { [K in keyof Platform]?: Partial<Platform[K]> },
  zones: PullZone[] | string,
  window: { from: Date; to: Date },
): ReportContext {
  const hours = readers.get(platform) ?? createHoursReader({ platform: platform as Platform });
  readers.set(platform, hours);
  return {
    platform: { shieldZones: { mapping: async () => [] }, ...platform } as unknown as Platform,
    hours,
    zones: async () => (typeof zones === 'string' ? { items: [], missing: zones } : { items: zones }),
    whole: true,
    filter: () => true,
    signal: new AbortController().signal,
    ...window,
  };
}

/** What the report says, with its tables; all of it is read by the rules for what people are told. */
export async function say(report: AnyReport, context: ReportContext): Promise<Message | undefined> {
  const collected = await report.collect(report.args, context);
  const said = report.render(collected, report.args, UTC);
  if (said === undefined) return undefined;
  const details = report.details?.(collected, report.args, UTC);
  const faults = [said, details].flatMap((one) => (one === undefined ? [] : unreadable(one)));
  expect(faults).toEqual([]);
  expect(said.text.split('\n').length, said.text).toBeLessThanOrEqual(12);
  return message(said, details);
}
