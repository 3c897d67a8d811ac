import { commandButton } from '../../blocks/buttons.ts';
import { count, countOf, type Reading } from '../../blocks/format.ts';
import { note, type Part, sectionWith } from '../../blocks/message.ts';
import { bold, mrkdwn } from '../../blocks/mrkdwn.ts';
import type { PullZone } from '../../platform/resources/pull-zones.ts';
import type { EventField } from '../../platform/resources/security.ts';
import { isPlatforms } from '../platform-errors.ts';
import type { ReportContext } from '../report.ts';
import { several } from '../several.ts';
import type { ReportDay } from './days.ts';

/** What a zone’s shield saw. */
export interface Attacked {
  zone: PullZone;
  now: number;
  before: number;
  /** `block 120`, the most first. */
  did: readonly string[];
  most: string | undefined;
}

const FEWEST = 100;
/** Far beyond the day before. */
export const stands = ({ now, before }: Attacked): boolean => now >= FEWEST && now >= 3 * before;

/** The most first. Empty where the platform shows none, or not to this key. */
export async function attacksOn(
  { from, to }: ReportDay,
  zones: readonly PullZone[],
  { platform, signal }: ReportContext,
): Promise<Attacked[]> {
  const options = { signal, priority: 'background' } as const;
  const window = { from: new Date(2 * from.getTime() - to.getTime()), to, buckets: 2, pageSize: 50 };
  const unless = <T>(reading: Promise<T[]>) =>
    reading.catch((error: unknown) => {
      if (!isPlatforms(error)) throw error;
      return [] as T[];
    });
  const shields = await unless(platform.shieldZones.mapping(options));
  const read = await several(shields, 4, async ({ shieldZoneId, pullZoneId }): Promise<Attacked | undefined> => {
    const zone = zones.find(({ Id }) => Id === pullZoneId);
    const by = async (groupBy: EventField) => {
      const groups = await unless(platform.security.events(shieldZoneId, { ...window, groupBy }, options));
      return groups
        .map(({ key, sparkline: [before = 0, now = 0] }) => ({ value: String(key[groupBy]), before, now }))
        .sort((one, other) => other.now - one.now);
    };
    if (zone === undefined) return undefined;
    const [actions, networks] = await Promise.all([by('action'), by('asn')]);
    const [now, before] = [
      actions.reduce((sum, one) => sum + one.now, 0),
      actions.reduce((sum, one) => sum + one.before, 0),
    ];
    const [most] = networks;
    const isMost = most !== undefined && most.now > now / 2;
    const did = actions.filter((one) => one.now > 0).map((one) => `${one.value.toLowerCase()} ${count(one.now)}`);
    return { zone, now, before, did, most: isMost ? `AS${most.value.replace(/^AS/i, '')}` : undefined };
  });
  return read
    .filter((one) => one !== undefined && one.now > 0)
    .sort((one, other) => other!.now - one!.now) as Attacked[];
}

/** A line with a button for each zone that stands out, and a note for the others. */
export function attackParts(attacks: readonly Attacked[], reading: Reading): Part[] {
  const name = ({ zone: { Id, Name } }: Attacked) => Name ?? String(Id);
  const others = attacks.filter((one) => !stands(one)).slice(0, 5);
  return [
    ...attacks
      .filter(stands)
      .slice(0, 3)
      .map((one) =>
        sectionWith(
          mrkdwn`🛡️ ${bold(name(one))}: the shield saw ${countOf(one.now, 'request', reading)} (${one.did.join(', ')}), ${count(one.before, reading)} the day before${one.most === undefined ? '' : `; most from ${one.most}`}`,
          commandButton('Security', `security summary ${one.zone.Id} --from 72h`),
        ),
      ),
    ...(others.length === 0
      ? []
      : [note(`Shields saw: ${others.map((one) => `${name(one)} ${count(one.now, reading)}`).join(', ')}.`)]),
  ];
}
