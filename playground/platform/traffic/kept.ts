import { BlockList, isIPv6 } from 'node:net';
import type { Kept } from '../account/account.ts';
import { hashOf } from '../random.ts';
import { FLOOD_ASN, type LogRecord } from './records.ts';

/** The fingerprint of whoever sent it: one for each user agent. */
export function ja4Of({ userAgent }: LogRecord): string {
  const part = (name: string) =>
    `${hashOf(userAgent, name).toString(16)}${hashOf(name, userAgent).toString(16)}`.padStart(12, '0').slice(0, 12);
  return `t13d1516h2_${part('ciphers')}_${part('extensions')}`;
}

/** The whole address: logs keep its network alone, events of the shield all of it. */
export const addressOf = ({ remoteIp }: Pick<LogRecord, 'remoteIp'>): string =>
  remoteIp.replace(/\.0$/, `.${1 + (hashOf(remoteIp) % 250)}`);

function isInNetwork(address: string, entry: string): boolean {
  const [network = '', prefix] = entry.split('/');
  const list = new BlockList();
  list.addSubnet(network, Number(prefix ?? (isIPv6(network) ? 128 : 32)), isIPv6(network) ? 'ipv6' : 'ipv4');
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** What keeps this request out, if anything did at its time. */
export const keptBy = (kept: readonly Kept[], zoneId: number, record: LogRecord): Kept | undefined =>
  kept.find(
    ({ from, to = Number.POSITIVE_INFINITY, ...one }) =>
      one.zoneId === zoneId && record.at >= from && record.at < to && isMeant(one, record),
  );

function isMeant({ by, type, entry }: Pick<Kept, 'by' | 'type' | 'entry'>, record: LogRecord): boolean {
  if (by === 'limit') return record.asn === FLOOD_ASN && record.path.startsWith(entry);
  // A browser passes the challenge.
  if (by === 'challenge') return !record.userAgent.startsWith('Mozilla/5.0 (') || /bot|crawler/i.test(record.userAgent);
  if (type <= 1) return isInNetwork(addressOf(record), entry);
  const value = type === 2 ? String(record.asn) : type === 3 ? record.countryCode : ja4Of(record);
  return value === entry.replace(/^AS(?=\d)/, '');
}
