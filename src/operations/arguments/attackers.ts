import { BlockList, isIP, isIPv6 } from 'node:net';
import { UsageError } from '../../errors.ts';
import type { ArgumentKind } from '../argument.ts';
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

/** Whether one of them is in the other. */
export function overlap(one: string, other: string): boolean {
  const [first, second] = [one, other].map((each) => each.split('/', 1)[0]!) as [string, string];
  return (
    networkOf(one)?.check(second, familyOf(second)) === true || networkOf(other)?.check(first, familyOf(first)) === true
  );
}

function attackerIn(typed: string): Attacker {
  const given = typed.trim();
  if (networkOf(given) !== undefined) {
    const [typedAddress = '', bits] = given.split('/');
    // One address has one spelling, as a policy has it.
    const address = isIPv6(typedAddress) ? new URL(`http://[${typedAddress}]`).hostname.slice(1, -1) : typedAddress;
    // Beneath :: are all of IPv4.
    const [widest, longest] = isIPv6(address) ? [address.startsWith('::') ? 128 : 32, 128] : [16, 32];
    if (Number(bits ?? longest) < widest) {
      throw new UsageError(`${given} is too wide to block: it would keep out whole providers.`, {
        hint: `Give /${widest} or less, or the number of the network, such as AS64500.`,
      });
    }
    const isOne = Number(bits ?? longest) === longest;
    return {
      type: 1,
      field: 'ip',
      text: isOne ? address : `${address}/${bits}`,
      entry: `${address}/${bits ?? longest}`,
    };
  }
  const [, asn] = /^AS0*(\d{1,10})$/i.exec(given) ?? [];
  if (asn !== undefined) return { type: 2, field: 'asn', text: `AS${asn}`, entry: asn };
  if (/^[a-z]{2}$/i.test(given))
    return { type: 3, field: 'country', text: given.toUpperCase(), entry: given.toUpperCase() };
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
