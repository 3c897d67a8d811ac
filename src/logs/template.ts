import { withoutQuery } from './record.ts';

/** The version of the rules below: groups of another version are other groups. */
export const TEMPLATE_VERSION = 1;

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
const QUOTED = /"[^"]*"|“[^”]*”|`[^`]*`|(?<![\p{L}\p{N}])'[^']*'(?![\p{L}\p{N}])/gu;
const ADDRESS = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)]+/gi;
const IP_ADDRESS = /(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4})(?::\d+)?(?![\w.:])/gi;
const HOST = /\b(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)+[a-z]{2,}(?::\d+)?\b/gi;
/** Eight or more hexadecimal digits of which one is a digit, so that `deadbeef` and `facade` stay words. */
const HEX = /\b(?:0x[0-9a-f]+|(?=[0-9a-f]*\d)[0-9a-f]{8,})\b/gi;
const NUMBER = /\d+(?:[.,]\d+)*/g;

/**
 * What messages that differ only in ids, numbers, hosts, addresses and quoted parts have in common:
 * `Connection to 10.0.0.1:443 timed out after 60 s` → `Connection to <ip> timed out after <n> s`.
 */
export function messageTemplate(message: string): string {
  return message
    .replace(/\s+/g, ' ')
    .trim()
    .replace(QUOTED, '<quoted>')
    .replace(ADDRESS, '<url>')
    .replace(UUID, '<id>')
    .replace(IP_ADDRESS, '<ip>')
    .replace(HOST, '<host>')
    .replace(HEX, '<hex>')
    .replace(NUMBER, '<n>');
}

/** Longer segments of a path are names of things, not of kinds of things. */
const LONGEST_SEGMENT = 40;

/** What paths of the same kind have in common: `/users/42/avatar-7.png?v=1` → `/users/<n>/avatar-<n>.png`. */
export function pathTemplate(address: string): string {
  const path = withoutQuery(address)
    .replace(/\?…$/, '')
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
  if (path === '') return '/';
  return path.split('/').map(segmentTemplate).join('/');
}

/** `/v1/` is a version of the path and `.m3u8` a kind of file: neither is one of many. */
function segmentTemplate(segment: string): string {
  if (/^v\d{1,2}$/i.test(segment)) return segment;
  const extension = /\.[a-z][a-z0-9]{0,5}$/i.exec(segment)?.[0] ?? '';
  const stem = segment.slice(0, segment.length - extension.length);
  const masked = stem.replace(UUID, '<id>').replace(HEX, '<hex>').replace(NUMBER, '<n>');
  return (masked.length > LONGEST_SEGMENT ? '<name>' : masked) + extension;
}

/** Text with addresses in it, without their credentials and queries: both may hold secrets. */
export function withoutQueries(text: string): string {
  return text.replace(/[^\s"'<>]+/g, (word) => (word.includes('/') ? withoutQuery(word) : word));
}
