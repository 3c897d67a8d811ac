import { isIP } from 'node:net';
import { count, share } from '../../blocks/format.ts';
import { type Message, message, note, section } from '../../blocks/message.ts';
import { bold, code, join, mrkdwn } from '../../blocks/mrkdwn.ts';
import { UsageError } from '../../errors.ts';
import { agentName } from '../../logs/agent.ts';
import { withoutQuery } from '../../logs/record.ts';
import type { AccessLogRecord } from '../../platform/resources/access-logs.ts';
import type { PullZone } from '../../platform/resources/pull-zones.ts';
import { HOUR } from '../../time.ts';
import { type Attacker, familyOf, networkOf, overlap } from '../arguments/attackers.ts';
import { wordsFor } from '../arguments/resources/look-up.ts';
import type { ZoneRef } from '../arguments/resources/zones.ts';
import type { Context } from '../context.ts';
import { keptAddress } from '../log/filters.ts';
import { lastHour } from '../recent-requests.ts';
import { tried } from '../unreadable.ts';

/** The networks from which search engines and link previews say that they come. */
const BOTS: Readonly<Record<string, readonly string[]>> = {
  Googlebot: ['66.249.64.0/19', '2001:4860:4801::/48'],
  Bingbot: ['40.77.167.0/24', '52.167.144.0/24', '157.55.39.0/24', '207.46.13.0/24', '65.55.210.0/24'],
  Applebot: ['17.22.0.0/16', '17.241.0.0/16'],
  YandexBot: ['5.255.231.0/24', '87.250.224.0/19', '213.180.203.0/24'],
  'link previews of Meta': ['31.13.24.0/21', '66.220.144.0/20', '69.63.176.0/20', '173.252.64.0/18'],
};

interface Own {
  network: string;
  is: string;
}

/** What must not be kept out: the office, the origins, verified bots. */
async function ownNetworks(zone: ZoneRef, context: Context): Promise<Own[]> {
  const { platform, catalogue, policy } = context;
  const { items } = await catalogue.zones();
  // The origins of other zones are told only to those who may read them.
  const read = items.filter((one) => one.Id === zone.Id || policy.may('zone show', { zone: [wordsFor(one)] }));
  const hostOf = ({ OriginUrl = '' }: Pick<PullZone, 'OriginUrl'>) =>
    URL.canParse(OriginUrl) ? new URL(OriginUrl).hostname.replace(/^\[|\]$/g, '') : '';
  const mine = hostOf(items.find(({ Id }) => Id === zone.Id) ?? {});
  const origins = [
    ...read.map(hostOf).filter((host) => isIP(host) !== 0),
    ...(isIP(mine) === 0 && mine !== '' ? await platform.security.addressesOf(mine) : []),
  ];
  return [
    ...platform.security.trusted.map((network) => ({ network, is: 'in `TRUSTED_ADDRESSES`' })),
    ...[...new Set(origins)].map((network) => ({ network, is: 'an origin of yours' })),
    ...Object.entries(BOTS).flatMap(([name, networks]) => networks.map((network) => ({ network, is: name }))),
  ];
}

/** Throws UsageError for what must not be kept out, whatever the log shows. */
export async function refuseOwn(zone: ZoneRef, attacker: Attacker, context: Context): Promise<void> {
  const own = attacker.field === 'ip' ? await ownNetworks(zone, context) : [];
  refuse(
    own.find(({ network }) => overlap(network, attacker.entry)),
    attacker,
  );
}

function refuse(found: Own | undefined, { text }: Attacker, where = 'in it'): void {
  if (found === undefined) return;
  throw new UsageError(
    `I won’t block ${text}: ${found.network === text ? 'it' : `${found.network} ${where}`} is ${found.is}.`,
    {
      hint: 'Block something narrower, or set a limit: `limit add`',
    },
  );
}

/** Which requests of the last hour it would have kept out. Throws UsageError if what must not be kept out is among them. */
export async function wouldHit(
  zone: ZoneRef,
  shield: number | undefined,
  attacker: Attacker,
  context: Context,
): Promise<Message> {
  const { platform, policy, now, signal } = context;
  const from = new Date(now.getTime() - HOUR);
  // Logs have no networks' numbers and no fingerprints; events of the shield say which addresses they are.
  const isLogged = attacker.field === 'ip' || attacker.field === 'country';
  const filter = { field: attacker.field, value: attacker.entry } as const;
  const search = { from, to: now, groupBy: 'ip', filter, pageSize: 500 } as const;
  const events =
    isLogged || shield === undefined ? undefined : await tried(platform.security.events(shield, search, { signal }));
  const groups = events === undefined || 'failure' in events ? [] : events.value;
  const entries = isLogged ? [attacker.entry] : groups.map(({ key }) => String(key.ip));
  const exact = entries.flatMap((one) => networkOf(one) ?? []);
  const widened = entries.flatMap((one) => networkOf(one, isIP(one.split('/', 1)[0]!) === 6 ? 64 : 24) ?? []);
  const isHit = ({ remoteIp = '', countryCode }: AccessLogRecord) =>
    attacker.field === 'country'
      ? countryCode?.toUpperCase() === attacker.entry
      : isIP(remoteIp) !== 0 &&
        (isNetwork(remoteIp) ? widened : exact).some((network) => network.check(remoteIp, familyOf(remoteIp)));
  const read = await lastHour(zone.Id, context);
  const unread =
    'unread' in read
      ? read.unread
      : attacker.field !== 'country' &&
        read.records.length > 0 &&
        read.records.every(({ remoteIp = '' }) => keptAddress(remoteIp) === undefined) &&
        'the log keeps no addresses';
  if ('unread' in read || unread) return message(note(`I can’t tell how many requests it would hit: ${unread}.`));
  const hits = read.records.filter(isHit);
  const own = attacker.field === 'ip' ? [] : await ownNetworks(zone, context);
  const logged = hits.flatMap(({ remoteIp = '' }) => keptAddress(remoteIp) ?? []);
  const addresses = [...new Set([...logged, ...groups.map(({ key }) => String(key.ip))])];
  const isAmong = ({ network }: Own) => addresses.some((one) => networkOf(one) !== undefined && overlap(network, one));
  refuse(own.find(isAmong), attacker, 'was perhaps among its visitors in the last hour, and');
  const { of } = read;
  // They come from the log, so only people who may read it see them.
  const shown = policy.may('log search', { zone: [wordsFor(zone)] }) ? hits : [];
  const lines = [...new Set(shown.map(lineOf))].slice(0, 3).map((line) => mrkdwn`• ${code(line)}`);
  return message(
    section(
      hits.length === 0
        ? mrkdwn`None of ${of} came from there.`
        : mrkdwn`It would have hit ${bold(`${count(hits.length)} of ${of}`)} (${share(hits.length, read.records.length)})${lines.length > 0 ? mrkdwn`, such as:\n${join(lines, '\n')}` : '.'}`,
    ),
    attacker.field !== 'country' &&
      hits.some(({ remoteIp = '' }) => isNetwork(remoteIp)) &&
      note('The log keeps networks, not single addresses, so everybody else in the same network is counted too.'),
  );
}

const isNetwork = (address: string) => keptAddress(address)?.includes('/') === true;

/** Without the time, so that requests that look the same share a line. */
function lineOf({ statusCode, url, path = url ?? '–', userAgent, countryCode, remoteIp }: AccessLogRecord): string {
  const parts = [statusCode, withoutQuery(path), remoteIp, countryCode, userAgent && agentName(userAgent)];
  return parts.filter((part) => part !== undefined && part !== '').join(' · ');
}
