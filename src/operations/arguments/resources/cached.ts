import { UsageError } from '../../../errors.ts';
import type { ArgumentKind } from '../../operation.ts';
import { WORD } from '../plain.ts';
import { parseHostname, zoneHostname } from './hostnames.ts';
import { atArgument, clipped, wordsFor } from './look-up.ts';
import { resolveZone, type ZoneRef } from './zones.ts';

/** `isPrefix`: `url` ends in `*` and means all addresses that begin with the rest. */
export interface Address {
  url: string;
  path: string;
  isPrefix: boolean;
  hostname: string;
  zone: ZoneRef;
}

export type Cached = Address | { tag: string; zone: ZoneRef };

const LONGEST = 2_000;
const TAG = /^tag:/i;

function parseAddress(text: string): { url: string; path: string; isPrefix: boolean; host: string } {
  const typed = text.trim();
  const wrong = (why: string) =>
    new UsageError(`“${clipped(typed)}” is not an address that can be purged: ${why}.`, {
      hint: 'Write it like https://static.example.org/logo.png, ending in * for everything under it, or like tag:news.',
    });
  if (typed.length > LONGEST) throw wrong(`it has more than ${LONGEST} characters`);
  if (/^[\w-]+$/.test(typed))
    throw new UsageError(`“${clipped(typed)}” is not an address: it has no dot.`, {
      hint: `Write a tag as tag:${clipped(typed)}, an address like https://static.example.org/logo.png.`,
    });
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw wrong('it begins with neither a hostname nor https://');
  if (url.username !== '' || url.password !== '') throw wrong('it has a user or a password');
  if (url.port !== '') throw wrong('it has a port');
  const host = parseHostname(url.hostname);
  const rest = url.pathname + url.search;
  const isPrefix = rest.endsWith('*');
  if (rest.slice(0, -1).includes('*')) throw wrong('a * can only be at its end');
  if (rest === '/*') throw wrong('that is the whole hostname. To empty a whole zone, use cache clear');
  // Browsers do not send the part after #.
  return { url: `${url.protocol}//${host}${rest}`, path: url.pathname.replace(/\*$/, ''), isPrefix, host };
}

function parseTag(text: string): string {
  const tag = text.trim().replace(TAG, '');
  if (!/^[!-~]{1,200}$/.test(tag))
    throw new UsageError(`“${clipped(text)}” is not a cache tag.`, {
      hint: 'A tag has 1 to 200 characters without spaces.',
    });
  return tag;
}

/** `zoneIn`: the key of the argument that names the zone of a tag. */
export function cached({ zoneIn }: { zoneIn: string }): ArgumentKind<Cached> {
  const host = zoneHostname({ zoneIn, tenants: true });
  return {
    ...WORD,
    label: 'Address or tag',
    hint: 'An address, ending in * for everything under it; or tag:news, with its zone',
    fromMessage: 'address',
    field: { type: 'text', placeholder: 'https://cdn.example.com/img/logo.png', maxLength: LONGEST },
    check: (text) => void (TAG.test(text.trim()) ? parseTag(text) : parseAddress(text)),
    async resolve(text = '', context) {
      const given = context.given[zoneIn];
      if (TAG.test(text.trim())) {
        const tag = parseTag(text);
        if (given === undefined || given === '')
          throw new UsageError(`The tag ${tag} was not purged: it needs a zone.`, {
            hint: 'Say which: `--zone <zone>`',
          });
        return { tag, zone: await atArgument(zoneIn, () => resolveZone(given, context)) };
      }
      const { host: name, ...address } = parseAddress(text);
      const { Value, zone } = await host.resolve(name, context);
      return { ...address, hostname: Value, zone };
    },
    textOf: (value) => ('tag' in value ? `tag:${value.tag}` : value.url),
    names: {
      of: host.names!.of,
      read: (value: Cached) =>
        'tag' in value
          ? { zone: [wordsFor(value.zone)] }
          : host.names!.read({ Value: value.hostname, zone: value.zone }),
    },
  };
}
