import { webApi } from '@slack/bolt';
import type { AnyBlock } from '@slack/types';
import { describe, expect, it } from 'vitest';
import { type KnownSurfaces, noteRefused, noteShown, refusedOn, type Surface } from '../../../src/slack/out/send.ts';
import { ResponseUrlError } from '../../../src/slack/refusals.ts';

const SURFACES: readonly Surface[] = ['message', 'ephemeral', 'response url'];
const TYPES = ['data_table', 'data_visualization'];

const block = (type: string) => ({ type }) as unknown as AnyBlock;
const blocks = [block('section'), block('data_table'), block('data_visualization')];
const refusal = (more: object = {}) =>
  new webApi.WebAPIPlatformError({ ok: false, error: 'invalid_blocks', ...more } as never);
const saying = (...messages: string[]) => refusal({ errors: messages, response_metadata: { messages } });

describe('blocks that a surface has refused', () => {
  describe.each(SURFACES)('in %s', (surface) => {
    it.each(TYPES)('%s is remembered there alone', (type) => {
      const refused: KnownSurfaces = new Map();
      const at = blocks.findIndex((one) => one.type === type);
      const error = saying(`[ERROR] unsupported type: ${type} [json-pointer:/blocks/${at}/type]`);
      expect(noteRefused(refused, surface, error, blocks)).toEqual([type]);
      for (const other of SURFACES) expect([...refusedOn(refused, other)]).toEqual(other === surface ? [type] : []);
      expect(noteRefused(refused, surface, error, blocks), 'known by now').toEqual([]);
    });

    it.each(TYPES)('%s is known by its place, in a view too', (type) => {
      const at = blocks.findIndex((one) => one.type === type);
      for (const pointer of [`/blocks/${at}`, `/view/blocks/${at}/type`]) {
        const refused: KnownSurfaces = new Map();
        noteRefused(refused, surface, saying(`not allowed [json-pointer:${pointer}]`), blocks);
        expect([...refusedOn(refused, surface)]).toEqual([type]);
      }
    });

    it('what is wrong within a block is no word against its type', () => {
      const refused: KnownSurfaces = new Map();
      const error = saying(
        'must be less than 51 characters [json-pointer:/blocks/1/caption]',
        'no more than 3 [json-pointer:/blocks/0]',
      );
      expect(noteRefused(refused, surface, error, blocks)).toEqual([]);
      expect(refusedOn(refused, surface).size).toBe(0);
    });

    it('a type that was shown there is not meant by an error that names nothing', () => {
      const refused: KnownSurfaces = new Map();
      noteShown(refused, surface, [block('data_table'), block('section')]);
      expect(noteRefused(refused, surface, refusal(), blocks)).toEqual(['data_visualization']);
      const named = saying('unsupported type: data_table [json-pointer:/blocks/1/type]');
      expect(noteRefused(refused, surface, named, blocks), 'unless Slack names it').toEqual(['data_table']);
    });

    it('all native ones are meant where Slack names none', () => {
      for (const error of [refusal(), new ResponseUrlError(400, 'invalid_blocks')]) {
        const refused: KnownSurfaces = new Map();
        expect(noteRefused(refused, surface, error, blocks)).toEqual(TYPES);
        expect(noteRefused(refused, surface, error, [block('section')])).toEqual([]);
      }
    });
  });

  it('are never more than there are native types, whatever Slack says', () => {
    const refused: KnownSurfaces = new Map();
    for (let index = 0; index < 1_000; index += 1)
      noteRefused(
        refused,
        'message',
        saying(`unsupported type: made_up_${'x'.repeat(index)}`, '[json-pointer:/blocks/99]'),
        blocks,
      );
    expect(refused.size).toBe(1);
    expect(refusedOn(refused, 'message').size).toBe(0);
  });
});
