import { describe, expect, it } from 'vitest';
import { differenceIn } from './proof.ts';

const sent = [{ type: 'section', text: { type: 'mrkdwn', text: 'fish &amp; chips :wave: <b>', verbatim: true } }];
const came = (text: string, more: object = {}) => [
  { type: 'section', block_id: 'x', text: { ...sent[0]!.text, text, ...more } },
];

describe('what comes back', () => {
  it.each([
    ['as it was sent, with an id', came('fish &amp; chips :wave: <b>')],
    ['with more fields', came('fish &amp; chips :wave: <b>', { emoji: true })],
    ['with its signs as entities', came('fish &amp;amp; chips :wave: &lt;b&gt;')],
  ])('%s is what was sent', (_, blocks) => {
    expect(differenceIn(sent, blocks)).toBeUndefined();
  });

  it.each<[string, unknown, RegExp]>([
    [
      'with a sign lost',
      came('fish & chips :wave: b'),
      /^0\/text\/text: "fish .* came back as "fish & chips :wave: b"$/,
    ],
    ['with an emoji drawn', came('fish &amp; chips 👋 <b>'), /^0\/text\/text: /],
    ['as another type', [{ type: 'rich_text', elements: [] }], /^0\/type: "section" came back as "rich_text"$/],
    ['without a setting', came('fish &amp; chips :wave: <b>', { verbatim: undefined }), /^0\/text\/verbatim: true/],
    ['as nothing', undefined, /^0\/type: "section" came back as undefined$/],
    ['as fewer', [], /^0\/type: /],
  ])('%s is named', (_, blocks, difference) => {
    expect(differenceIn(sent, blocks)).toMatch(difference);
  });
});
