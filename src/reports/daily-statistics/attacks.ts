import { commandButton } from '../../blocks/buttons.ts';
import { count, countOf, type Reading } from '../../blocks/format.ts';
import { note, type Part, sectionWith } from '../../blocks/message.ts';
import { bold, mrkdwn } from '../../blocks/mrkdwn.ts';
import { shieldDid } from '../../platform/enums.ts';
import type { PullZone } from '../../platform/resources/pull-zones.ts';
import { readOr } from '../platform-errors.ts';
import type { ReportContext } from '../report.ts';
import { several } from '../several.ts';
import type { ReportDay } from './days.ts';

/** What a zone’s shield saw that day and the day before. `did`: `blocked 120`, the most first. */
export interface Attacked {
  zone: PullZone;
  now: number;
  before: number;
  did: readonly string[];
}

/** Far beyond the day before. */
export const stands = ({ now, before }: Attacked): boolean => now >= 100 && now >= 3 * before;

/** The most first. Empty where the platform shows none, or not to this key. */
export async function attacksOn(
  { from, to }: ReportDay,
  zones: readonly PullZone[],
  { platform, signal }: ReportContext,
): Promise<Attacked[]> {
  const options = { signal, priority: 'background' } as const;
  const search = {
    from: new Date(2 * from.getTime() - to.getTime()),
    to,
    groupBy: 'action',
    buckets: 2,
    pageSize: 20,
  } as const;
  const sumOf = (counts: readonly number[]) => counts.reduce((sum, one) => sum + one, 0);
  const seen = await several(await readOr([], platform.shieldZones.mapping(options)), 4, async (shield) => {
    const zone = zones.find(({ Id }) => Id === shield.pullZoneId);
    if (zone === undefined) return [];
    const groups = (await readOr([], platform.security.events(shield.shieldZoneId, search, options)))
      .map(({ key, sparkline: [before = 0, now = 0] }) => ({ action: shieldDid(key.action), before, now }))
      .sort((one, other) => other.now - one.now);
    const did = groups.filter(({ now }) => now > 0).map(({ action, now }) => `${action} ${count(now)}`);
    return { zone, did, now: sumOf(groups.map(({ now }) => now)), before: sumOf(groups.map(({ before }) => before)) };
  });
  return seen
    .flat()
    .filter(({ now }) => now > 0)
    .sort((one, other) => other.now - one.now);
}

/** A line with a button for the three zones that stand out most, and a note for the others. */
export function attackParts(attacks: readonly Attacked[], reading: Reading): Part[] {
  const name = ({ zone: { Id, Name } }: Attacked) => Name ?? String(Id);
  const standing = attacks.filter(stands);
  const lines = standing.slice(0, 3).map((one) => {
    const saw = `the shield saw ${countOf(one.now, 'request', reading)} (${one.did.join(', ')})`;
    const words = mrkdwn`🛡️ ${bold(name(one))}: ${saw}, ${count(one.before, reading)} the day before`;
    return sectionWith(words, commandButton('Security', `security summary ${one.zone.Id} --from 72h`));
  });
  const listed = (label: string, some: readonly Attacked[]) => {
    const shown = some.slice(0, 5).map((one) => `${name(one)} ${count(one.now, reading)}`);
    if (some.length > 5) shown.push(`and ${some.length - 5} more`);
    return shown.length === 0 ? [] : [`${label}: ${shown.join(', ')}.`];
  };
  const others = attacks.filter((one) => !stands(one));
  const notes = [...listed('Also attacked', standing.slice(3)), ...listed('Shields saw', others)];
  return notes.length === 0 ? lines : [...lines, note(notes.join(' '))];
}
