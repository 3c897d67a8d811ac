import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PullZone } from '../../src/platform/resources/pull-zones.ts';
import { partsOf } from '../../src/slack/message-parts.ts';

const ZONES = [
  { Id: 1, Name: 'shop', Hostnames: [{ Value: 'shop.example.com' }, { Value: 'Shop.B-CDN.net' }] },
  { Id: 2, Name: 'main-site', Hostnames: [{ Value: 'www.example.com' }] },
] as unknown as PullZone[];
const read = (text: string) => partsOf({ text }, ZONES);
const hosts = (text: string) => read(text).hosts.map(({ host, path }) => `${host}${path ?? ''}`);

describe('the parts of a message', () => {
  it.each([
    ['an address', 'see https://shop.example.com/cart', ['shop.example.com/cart']],
    ['an address in Slack’s markup', '<https://shop.example.com/a%20b|the cart>', ['shop.example.com/a%20b']],
    ['an address with an entity', '<https://shop.example.com/a&amp;b?x=1&amp;y=2>', ['shop.example.com/a&b']],
    ['an address at the end of a sentence', 'Look at https://shop.example.com/cart.', ['shop.example.com/cart']],
    ['an address with a port', 'https://shop.example.com:8443/', ['shop.example.com']],
    ['a hostname of the platform', 'Shop.example.COM is down!', ['shop.example.com']],
    ['a hostname in code', '`shop.b-cdn.net`: 502', ['Shop.B-CDN.net']],
    [
      'one of a zone’s names, a hostname rather than the name',
      'shop: shop.b-cdn.net, shop.example.com',
      ['Shop.B-CDN.net'],
    ],
    ['a zone', 'main-site, again', ['main-site']],
    ['no zone of a path', 'main-site: 502 on /shop/items, /shop', ['main-site']],
    ['no message of Slack', '<https://acme.slack.com/archives/C1/p2|main-site: 502>', ['main-site']],
    ['a zone within another word', 'the workshop and main-sites', []],
    ['a hostname that nobody knows', 'example.org and index.html', []],
    [
      'an address that nobody knows, after those that are known',
      'https://a.org/x www.example.com',
      ['www.example.com', 'a.org/x'],
    ],
    ['the same twice', 'www.example.com https://www.example.com/', ['www.example.com']],
    ['an address of numbers', 'http://10.0.0.1/x', []],
    ['no address', 'https:// http://? https://%', []],
  ])('are %s', (_, text, found) => {
    expect(hosts(text)).toEqual(found);
  });

  it.each([
    ['HTTP 502 since noon', '502'],
    ['returns 404 for all', '404'],
    ['many 5xx errors', '5xx'],
    ['got a 503', '503'],
    ['500 Internal Server Error', '500'],
    ['status: 429', '429'],
    ['404 errors', '404'],
    ['596 errors today', undefined],
    ['502 people asked', undefined],
    ['it took 500 ms', undefined],
    ['https://shop.example.com/error/404', undefined],
  ])('are a status in “%s”: %s', (text, status) => {
    expect(read(text).others.status).toBe(status);
  });

  it('are an IP address, a request id, and the day of the message in UTC', () => {
    const id = '0123456789abcdef0123456789ABCDEF';
    const { others } = partsOf({ text: `203.0.113.7 (not 999.1.1.1) request ${id}`, ts: '1763769599.000100' }, ZONES);
    expect(others).toEqual({ 'IP address': '203.0.113.7', 'request id': id, day: '2025-11-21' });
  });

  it('are read from blocks and attachments, as other apps write', () => {
    const message = {
      text: '',
      attachments: [{ title: 'Down', title_link: 'https://www.example.com/a', fields: [{ value: 'HTTP 502' }] }],
      blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'zone `shop`' } }],
      bot_profile: { icons: { image_36: 'https://avatars.example.net/x.png' } },
    };
    const { hosts: found, others } = partsOf(message, ZONES);
    expect(found.map(({ host }) => host)).toEqual(['www.example.com', 'shop']);
    expect(others.status).toBe('502');
  });

  it('never hold the query of an address', () => {
    expect(JSON.stringify(read('https://shop.example.com/a?token=abc#def'))).not.toMatch(/abc|def/);
  });

  it('are read from anything in a moment', () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 6 }), fc.string({ unit: 'grapheme', maxLength: 400 }), (given, text) => {
        expect(partsOf({ ...given, files: undefined, ts: '1', text }, ZONES).files).toEqual([]);
      }),
    );
    const long = [
      'a.'.repeat(50_000),
      'https://'.repeat(20_000),
      '1.'.repeat(50_000),
      `${'x'.repeat(99_999)}!`,
      '-'.repeat(99_999),
    ];
    for (const text of long) expect(read(text).hosts.length).toBeLessThan(3_000);
  });
});
