import { commandButton } from '../../blocks/buttons.ts';
import { chart } from '../../blocks/chart.ts';
import { count, countOf, logTime, share } from '../../blocks/format.ts';
import { actions, message, nothing, type Part, section, sectionWith } from '../../blocks/message.ts';
import { bold, code, join, moment as momentWords, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import { UsageError } from '../../errors.ts';
import { ruleInWords, shieldDid } from '../../platform/enums.ts';
import type { EventField, EventGroup } from '../../platform/resources/security.ts';
import { DAY, HOUR, MINUTE } from '../../time.ts';
import { moment } from '../arguments/dates.ts';
import { flagged } from '../arguments/plain.ts';
import { nameWithId } from '../arguments/resources/look-up.ts';
import { pullZone } from '../arguments/resources/zones.ts';
import { blockMenu, shieldOf } from '../block.ts';
import { defineOperation } from '../operation.ts';

const BUCKETS = 12;
/** The platform keeps events for this long. */
const EVENT_HOURS = 72;

const GROUPS = [
  ['ip', 'Address', 3],
  ['asn', 'Network', 2],
  ['country', 'Country', 2],
  ['ja4', 'JA4', 1],
] as const;

const FIELDS: readonly EventField[] = ['action', 'ruleId', ...GROUPS.map(([field]) => field)];

type Groups = Readonly<Record<EventField, readonly EventGroup[]>>;

/** `POST /shield/event-logs/{shieldZoneId}/search`, once for each thing that events are grouped by. */
export const securitySummary = defineOperation({
  name: 'security summary',
  summary: 'What a zone’s shield saw: by rule, address, network, country and fingerprint',
  synonyms: {
    verbs:
      'summarise, summarize, show, attacked, attacking, blocked, shield see, shield saw, shield catch, shield stop, waf stop, fired, triggered, waf see, waf saw',
    nouns:
      'attacks, attack, attackers, shield, waf, firewall, threats, security events, rules, rule, ip, ips, asn, events, bots, flood, ddos',
  },
  effect: 'read',
  args: {
    zone: pullZone(),
    from: flagged(moment('From', { fromMessage: 'since', hint: `At most ${EVENT_HOURS} hours back; by default 24` })),
  },
  examples: ['security summary shop', 'security summary shop --from 72h'],

  async run({ zone, from: since }, { platform, now, signal }) {
    const from = since?.instant ?? new Date(now.getTime() - DAY);
    if (from.getTime() < now.getTime() - EVENT_HOURS * HOUR - MINUTE) {
      throw new UsageError(`The platform keeps security events for ${EVENT_HOURS} hours.`, { argument: 'from' });
    }
    const shield = await shieldOf(zone, { platform, signal });
    if (shield === undefined) {
      throw new UsageError(`${nameWithId(zone)} has no shield, so nothing watches for attacks there.`, {
        hint: 'Its access log may tell who asks most: `log summary`',
      });
    }
    const found = await Promise.all(
      FIELDS.map((groupBy) => {
        const search = { from, to: now, groupBy, buckets: BUCKETS, pageSize: 5 };
        return platform.security.events(shield, search, { signal });
      }),
    );
    const [action, ruleId, ip, asn, country, ja4] = found;
    const groups: Groups = { action: action!, ruleId: ruleId!, ip: ip!, asn: asn!, country: country!, ja4: ja4! };
    return { groups, from, to: now };
  },

  render({ groups, from, to }, { zone }, reader) {
    const where = mrkdwn`${bold(nameWithId(zone))}, since ${momentWords(from)}`;
    const total = groups.action.reduce((all, one) => all + one.count, 0);
    const under = actions(
      commandButton('Attack mode', `attack on ${zone.Id} --for 1h`),
      commandButton('What is blocked', `block list ${zone.Id}`),
    );
    if (total === 0) return nothing(mrkdwn`The shield saw nothing to stop: ${where}.`, under);
    const did = groups.action.map((one) => `${shieldDid(one.key.action)} ${count(one.count, reader)}`);
    const width = (to.getTime() - from.getTime()) / BUCKETS;
    const rules = groups.ruleId.slice(0, 4);
    const rows = GROUPS.flatMap(([field, label, few]) =>
      groups[field].slice(0, few).flatMap((one): Part[] => {
        // Nobody blocks a country for a few of its requests.
        if (one.count < total / 100) return [];
        const value = asTyped(field, String(one.key[field] ?? ''));
        const { country, asn } = one.context ?? {};
        const line = [
          mrkdwn`${label} ${code(value)}`,
          `${count(one.count, reader)} (${share(one.count, total, reader)})`,
          ...(field === 'ip' ? [country, asn && asTyped('asn', String(asn))].filter(Boolean).map(String) : []),
        ];
        const its = (field === 'ip' || field === 'country') && `log search ${zone.Id} --${field} ${value}`;
        // Nobody can block something that is not a value, such as an unknown network.
        const isValue = !/^(AS0?|-|unknown)?$/i.test(value);
        return [sectionWith(join(line, ' · '), isValue ? blockMenu(zone.Id, value, its) : undefined)];
      }),
    );
    return message(
      mrkdwn`The shield saw ${bold(countOf(total, 'event', reader))} (${did.join(', ')}): ${where}.`,
      chart({
        title: 'What the shield did',
        type: 'line',
        isSum: true,
        categories: Array.from({ length: BUCKETS }, (_, at) =>
          logTime(new Date(from.getTime() + at * width), reader.timezone).slice(width > HOUR ? 5 : 11, 16),
        ),
        series: groups.action.map((one) => ({ name: shieldDid(one.key.action), values: one.sparkline })),
      }),
      rules.length > 0 &&
        section(
          mrkdwn`Rules: ${join(
            rules.map((one): Words => mrkdwn`${ruleInWords(String(one.key.ruleId))} ${count(one.count, reader)}`),
            ' · ',
          )}`,
        ),
      ...rows,
      under,
    );
  },
});

const asTyped = (field: EventField, value: string) => (field === 'asn' ? `AS${value.replace(/^AS/i, '')}` : value);
