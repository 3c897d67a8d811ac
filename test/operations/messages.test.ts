import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/blocks/limits.ts';
import { type Message, message } from '../../src/blocks/message.ts';
import { plain } from '../../src/blocks/mrkdwn.ts';
import { changedMessage, fullPreviewMessage, soAlreadyMessage } from '../../src/changes/preview.ts';
import { wordsFor } from '../../src/changes/words.ts';
import { operations } from '../../src/operations/index.ts';
import type { Preview } from '../../src/operations/operation.ts';
import { unreadable } from '../support/readable.ts';
import { BEFORE_THE_FOLD, CHANGES, DEFINITION, READ_IN_FLOWS, READS } from './lines.ts';
import { type OnSimulator, onSimulator } from './on-simulator.ts';
import { fileOf, prepare } from './performing.ts';

describe('every message about a change', () => {
  let setting: OnSimulator;
  beforeAll(async () => {
    setting = { ...(await onSimulator()), files: [fileOf('F0000001', 'shop.yaml', DEFINITION)] };
  });
  afterAll(() => setting.close());

  it('is read here for every command but those of reports', () => {
    const changes = operations.filter(({ name, effect }) => effect !== 'read' && !name.startsWith('report '));
    const lines = CHANGES.map((one) => (typeof one === 'string' ? one : one.operation));
    expect(changes.filter(({ name }) => !lines.some((line) => line.startsWith(name))).map(({ name }) => name)).toEqual(
      [],
    );
  });

  it.each(CHANGES)('says what it is about first, and no more than can be read: %j', async (line) => {
    const { operation, values, canonical, target, preview, preflight, run } = await prepare(line, setting);
    const read = await preview();
    const more = operation.preflight === undefined ? {} : await preflight();
    const shown: Preview = { ...read, ...more, warnings: [...(read.warnings ?? []), ...(more.warnings ?? [])] };
    const { title, done, button } = wordsFor(operation, { target, given: canonical, ...read });
    const unknown = operation.whenUnknown?.(canonical);
    const soAlready = soAlreadyMessage(target, read.after);
    expect(soAlready.text).toMatch(/^[^\n]+ is already [^\n]+\.(\n|$)/);
    const told: [Message, string][] = [
      [fullPreviewMessage(operation, { target, given: canonical }, { values }, shown), `${plain(title)}?`],
      [changedMessage(title, read.before, { before: read.after }), `Not done: ${plain(title)}.`],
      [soAlready, ''],
      [message(message(title), unknown), plain(title)],
      [await run(), plain(done)],
    ];
    expect(button.length).toBeLessThanOrEqual(LIMITS.title);
    for (const [said, first] of told) {
      const [top = ''] = said.text.split('\n');
      expect(top.startsWith(first), `${top} begins with ${first}`).toBe(true);
      expect(top).toContain(plain(target));
      expect(unreadable(said)).toEqual([]);
    }
    // What a form must show whole (a table, a record to copy) is below what is needed to decide.
    const decisive = fullPreviewMessage(
      operation,
      { target, given: canonical },
      { values },
      { ...read, details: message() },
    );
    expect(decisive.text.split('\n').length).toBeLessThanOrEqual(BEFORE_THE_FOLD);
  });
});

describe('every answer of a read', () => {
  let setting: OnSimulator;
  beforeAll(async () => {
    setting = await onSimulator();
  });
  afterAll(() => setting.close());

  it('is read here for every command but those that read the store, and help', () => {
    const reads = operations.filter(({ name, effect }) => effect === 'read' && !READ_IN_FLOWS.test(name));
    expect(reads.filter(({ name }) => !READS.some((line) => line.startsWith(name))).map(({ name }) => name)).toEqual(
      [],
    );
  });

  it.each(READS)('has no grammar, no time without a zone, and no more blocks than Slack takes: %s', async (line) => {
    const { run } = await prepare(line, setting);
    const said = await run();
    expect(said.text.trim()).not.toBe('');
    expect(unreadable(said)).toEqual([]);
  });
});
