import { BlockList, isIP, isIPv6 } from 'node:net';
import { UsageError } from '../../errors.ts';
import type { ArgumentKind } from '../operation.ts';
import { text } from './plain.ts';

/** Whom an access list keeps out. `type`: the platform’s number of such lists. `entry`: as a list has it. */
export interface Attacker {
  type: 1 | 2 | 3 | 5;
  field: 'ip' | 'asn' | 'country' | 'ja4';
  text: string;
  entry: string;
}

export const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** `203.0.113.7` or `203.0.113.0/24` as a set of addresses. Undefined: it is neither. */
export function networkOf(typed: string, most = 128): BlockList | undefined {
  const [, address = '', bits] = /^([\d.:a-f]+?)(?:\/(\d{1,3}))?$/i.exec(typed) ?? [];
  const longest = isIPv6(address) ? 128 : 32;
  if (isIP(address) === 0 || Number(bits ?? 0) > longest) return undefined;
  const list = new BlockList();
  list.addSubnet(address, Math.min(Number(bits ?? longest), most), familyOf(address));
  return list;
}

/** Whether either contains the other. */
export function overlap(one: string, other: string): boolean {
  const [first, second] = [one, other].map((each) => each.split('/', 1)[0]!) as [string, string];
  return (
    networkOf(one)?.check(second, familyOf(second)) === true || networkOf(other)?.check(first, familyOf(first)) === true
  );
}

const shortened = (address: string) =>
  isIPv6(address) ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;

/** One network has one spelling, as a policy has it: `203.0.113.7/24` is `203.0.113.0/24`. */
function firstOf(address: string, bits: number): string {
  const [sign, radix, size] = isIPv6(address) ? ([':', 16, 16] as const) : (['.', 10, 8] as const);
  const [head = [], tail = []] = shortened(address)
    .split('::')
    .map((part) => part.split(sign).filter(Boolean));
  const zeros = Array<string>(128 / 16 - head.length - tail.length).fill('0');
  const first = [...head, ...(size === 16 ? zeros : []), ...tail].map((part, at) => {
    const host = Math.min(Math.max((at + 1) * size - bits, 0), size);
    return ((Number.parseInt(part, radix) >> host) << host).toString(radix);
  });
  return shortened(first.join(sign));
}

/** The United Kingdom’s code is GB. */
export const countryOf = (typed: string) => typed.toUpperCase().replace('UK', 'GB');

export function attackerIn(typed: string): Attacker {
  const given = typed.trim();
  if (networkOf(given) !== undefined) {
    const [typedAddress = '', typedBits] = given.split('/');
    const longest = isIPv6(typedAddress) ? 128 : 32;
    const bits = Number(typedBits ?? longest);
    const address = firstOf(typedAddress, bits);
    // `::` covers all of IPv4.
    const widest = address.startsWith('::') ? 128 : longest === 128 ? 32 : 16;
    if (bits < widest) {
      throw new UsageError(`${given} is too wide to block: it would block whole providers.`, {
        hint: `Give /${widest} or a narrower network, or the number of the network, such as AS64500.`,
      });
    }
    const entry = `${address}/${bits}`;
    return { type: 1, field: 'ip', text: bits === longest ? address : entry, entry };
  }
  const [, asn] = /^AS0*(\d{1,10})$/i.exec(given) ?? [];
  if (asn !== undefined) return { type: 2, field: 'asn', text: `AS${asn}`, entry: asn };
  if (/^[a-z]{2}$/i.test(given)) return { type: 3, field: 'country', text: countryOf(given), entry: countryOf(given) };
  if (/^[a-z]\w{9}_[\da-f]{12}_[\da-f]{12}$/i.test(given))
    return { type: 5, field: 'ja4', text: given.toLowerCase(), entry: given.toLowerCase() };
  throw new UsageError(`“${given.slice(0, 60)}” cannot be blocked.`, {
    hint: 'Give an address (203.0.113.7), a network (203.0.113.0/24), AS64500, a country (BR) or a JA4 fingerprint.',
  });
}

export function attacker(): ArgumentKind<Attacker> {
  return {
    ...text('Whom', {
      hint: 'An address, a network, AS64500, a country of two letters, or a JA4 fingerprint',
      placeholder: '203.0.113.7',
      maxLength: 60,
    }),
    usage: 'ip|cidr|asn|country|ja4',
    fromMessage: 'IP address',
    check: (typed) => void attackerIn(typed),
    resolve: (typed) => attackerIn(typed ?? ''),
    textOf: (value) => value.text,
    normal: (typed) => attackerIn(typed).text,
  };
}
