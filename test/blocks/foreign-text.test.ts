import type { KnownBlock, RichTextBlock } from '@slack/types';
import { describe, expect, it } from 'vitest';
import { codeBlock, fields, heading, note, section } from '../../src/blocks/message.ts';
import { bold, bullets, code, mrkdwn, mrkdwnOfPlain, plain, visible, type Words } from '../../src/blocks/mrkdwn.ts';
import { optionOf } from '../../src/slack/form.ts';
import { foreignTexts } from './foreign-texts.ts';
import { renderers } from './renderers.ts';

const texts = foreignTexts(10_000);

/** As it was typed: what is unseen is named, and mrkdwn has no backticks but those of code. */
const asTyped = (text: string) => visible(text).replaceAll('`', 'ˋ');
/** Code stands on one line. */
const onOneLine = (text: string) => asTyped(text.replace(/[\r\n]+/g, ' '));

/** The mrkdwn that leaves in these words. */
const sent = (words: Words): string => {
  const [block] = section(words).blocks as KnownBlock[];
  return block?.type === 'section' ? (block.text?.text ?? '') : '';
};
const label = (text: string): string => {
  const [block] = fields([[text, 'on']]).blocks as KnownBlock[];
  return block?.type === 'section' ? (block.fields?.[0]?.text ?? '') : '';
};

/** Every way in which mrkdwn of the bot's own has text from outside in it, and what is to be read then. */
const ways: [way: string, written: (text: string) => string, read: (text: string) => string, isBold?: true][] = [
  ['alone', sent, asTyped],
  ['in a sentence', (text) => sent(mrkdwn`The zone ${text} is gone.`), (text) => `The zone ${asTyped(text)} is gone.`],
  ['twice', (text) => sent(mrkdwn`${text} and (${text})`), (text) => `${asTyped(text)} and (${asTyped(text)})`],
  ['in a list', (text) => sent(bullets([text, text])), (text) => `• ${asTyped(text)}\n• ${asTyped(text)}`],
  ['before a colon', (text) => sent(mrkdwn`${text}: 3 errors`), (text) => `${asTyped(text)}: 3 errors`],
  [
    'in bold',
    (text) => sent(mrkdwn`The zone ${bold(text)} is gone.`),
    (text) => `The zone ${asTyped(text)} is gone.`,
    true,
  ],
  ['as a label', label, (text) => `${asTyped(text)}\non`, true],
  ['as code', (text) => sent(mrkdwn`The host ${code(text)} is new.`), (text) => `The host ${onOneLine(text)} is new.`],
  ['beside blocks, where Slack reads mrkdwn', (text) => mrkdwnOfPlain(plain(text)), asTyped],
];

describe('Text from outside', () => {
  it.each(renderers.flatMap((renderer) => ways.map((way) => [renderer.name, way[0], renderer, way] as const)))(
    'is read as it was typed by %s, %s',
    (_, __, { see }, [, written, read, isBold = false]) => {
      const wrong = texts.flatMap((text) => {
        const mrkdwn = written(text);
        const seen = see(mrkdwn);
        const acts = isBold ? seen.acts.filter((act) => !/bold|^<\/span>$/i.test(act)) : seen.acts;
        return seen.text === read(text) && acts.length === 0 ? [] : [{ text, mrkdwn, seen }];
      });
      expect(wrong.slice(0, 20)).toEqual([]);
    },
  );

  it('is plain in headings, options and code blocks, and small print has nothing else in it than a paragraph', () => {
    for (const text of texts) {
      const typed = visible(text);
      const [header] = heading(typed.slice(0, 150)).blocks;
      expect(header).toMatchObject({ text: { type: 'plain_text', text: visible(typed.slice(0, 150)), emoji: false } });
      const [code] = codeBlock(`${text}x`).blocks as RichTextBlock[];
      expect(code?.elements).toEqual([
        { type: 'rich_text_preformatted', elements: [{ type: 'text', text: visible(`${text}x`) }] },
      ]);
      expect(optionOf({ label: text.slice(0, 8), value: 'x' }).text).toMatchObject({
        type: 'plain_text',
        emoji: false,
      });
      expect(note(text).blocks).toEqual([
        { type: 'context', elements: [{ type: 'mrkdwn', text: sent(text), verbatim: true }] },
      ]);
    }
  });

  it('needs no sign beside it where it has none that acts', () => {
    for (const text of [
      'main-site (1001)',
      'cdn.example.com',
      'x86_64, R D',
      '10:30:45',
      'a -> b'.replace('>', ''),
      '50% (5 of 10)!',
    ])
      expect(sent(text)).toBe(text);
    expect(sent('größe_имя')).toBe('`größe_имя`');
    expect(sent('No *such* zone (*.example.com).')).toBe('No `*such*` zone (`*.example.com`).');
  });
});
