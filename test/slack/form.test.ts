import type { InputBlock, KnownBlock } from '@slack/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateView } from '../../playground/slack/block-kit/validate.ts';
import { message } from '../../src/blocks/message.ts';
import { choice, flag, flagged, number, rest, text } from '../../src/operations/arguments/plain.ts';
import { operations } from '../../src/operations/index.ts';
import { type AnyOperation, type ArgumentKind, defineOperation } from '../../src/operations/operation.ts';
import {
  buildConfirmView,
  buildForm,
  buildShownView,
  buildWorkingView,
  givenOf,
  type InputState,
  memoryOf,
  titleOf,
} from '../../src/slack/form.ts';
import { fitBlocks } from '../../src/slack/out/fit.ts';

const day: ArgumentKind<unknown> = { ...text('Day'), field: { type: 'date' } };
const zone: ArgumentKind<unknown> = { ...text('Zone'), field: { type: 'suggest' } };
const file: ArgumentKind<unknown> = { ...text('File'), field: { type: 'file', extensions: ['json'], maxBytes: 10 } };

const everything: AnyOperation = defineOperation({
  name: 'word everything',
  summary: 'Use every kind of field',
  effect: 'write',
  args: {
    name: text('Name', { maxLength: 20 }),
    mode: choice('Mode', ['on', 'off']),
    count: flagged(number('Count', { minimum: 1, maximum: 100 })),
    day,
    zone,
    file,
    loud: flag('Loud'),
    sql: rest('SQL', { maxLength: 20_000 }),
  },
  target: () => '',
  run: async () => undefined,
  render: () => message(''),
});

const memory = { channel: 'C1', thread: '1.2', responseUrl: 'https://hooks.example.com/1' };

/** The inputs of a form; the general `Block` of Slack's union would hide what they have. */
function inputsOf(view: ReturnType<typeof buildForm>): InputBlock[] {
  return (view.blocks as KnownBlock[]).flatMap((block) => (block.type === 'input' ? [block] : []));
}

/** What Slack would send of a form that was submitted as it was opened. */
function untouched(view: ReturnType<typeof buildForm>): Record<string, Record<string, InputState>> {
  return Object.fromEntries(
    inputsOf(view).map((block) => {
      const element: Record<string, unknown> = { ...block.element };
      const state: InputState = {
        value: (element.initial_value as string | undefined) ?? null,
        selected_option: (element.initial_option as { value: string } | undefined) ?? null,
        selected_options: (element.initial_options as { value: string }[] | undefined) ?? [],
        selected_date: (element.initial_date as string | undefined) ?? null,
        files: [],
      };
      return [block.block_id ?? '', { [String(element.action_id)]: state }];
    }),
  );
}

function inputOf(view: ReturnType<typeof buildForm>, key: string) {
  const block = inputsOf(view).find((one) => one.block_id === key);
  if (block === undefined) throw new Error(`the form has no input ${key}`);
  return {
    hint: block.hint?.text ?? '',
    optional: block.optional,
    element: { ...block.element } as Record<string, unknown>,
  };
}

describe('a form', () => {
  const value = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 100 }),
    fc.constantFrom('', '2026-02-30', '2026-02-28', '-1', '101', '99999999999999999999', 'true', 'on', 'ON'),
    fc.nat(4_000).map((length) => 'x'.repeat(length)),
  );

  it('is within Slack’s limits for every operation, whatever was typed before it opened', () => {
    const filled = fc
      .constantFrom(...operations, everything)
      .chain((operation) =>
        fc
          .record(Object.fromEntries(Object.keys(operation.args).map((key) => [key, value])), { requiredKeys: [] })
          .map((given) => ({ operation, given: given as Record<string, string> })),
      );
    fc.assert(
      fc.property(filled, value, ({ operation, given }, problem) => {
        const view = buildForm(operation, given, memory, message(problem));
        const { blocks } = fitBlocks(view.blocks);
        expect(validateView({ ...view, blocks }, 'modal')).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('gives back what it was filled with when it is submitted as it is', () => {
    const given = {
      name: 'a “name”',
      mode: 'off',
      count: '7',
      day: '2026-11-20',
      zone: 'cdn',
      loud: 'true',
      file: 'F1:sha256:abc',
      sql: "SELECT 'a'\n-- b",
    };
    const view = buildForm(everything, given, memory);
    expect(givenOf(everything, untouched(view), memoryOf(view))).toEqual(given);
  });

  it('leaves out what was left empty', () => {
    const view = buildForm(everything, {}, memory);
    expect(givenOf(everything, untouched(view), memoryOf(view))).toEqual({});
  });

  it('takes another file in place of the one that was given already', () => {
    const view = buildForm(everything, { file: 'F1:sha256:abc' }, memory);
    expect(inputOf(view, 'file')).toMatchObject({ optional: true, hint: expect.stringMatching(/already gave a file/) });
    const state = { ...untouched(view), file: { file: { files: [{ id: 'F2' }] } } };
    expect(givenOf(everything, state, memoryOf(view))).toMatchObject({ file: 'F2' });
  });

  it('has a title as a person would write it, within Slack’s limit', () => {
    const titles = Object.fromEntries(operations.map((operation) => [operation.name, titleOf(operation)]));
    expect(titles).toMatchObject({ 'ssl force': 'Force HTTPS', 'app delete': 'App delete', 'can-i': 'Can I' });
    expect(Object.values(titles).filter((title) => title.length > 24)).toEqual([]);
  });

  it('puts a full stop between two hints', () => {
    const [upload] = operations.filter(({ name }) => name === 'guardian upload');
    expect(inputOf(buildForm(upload!, { file: 'F1' }, memory), 'file').hint).toMatch(
      /in the thread\. You already gave a file/,
    );
  });

  it.each([
    ['a day that no calendar has', 'day', '2026-02-30', { type: 'plain_text_input', initial_value: '2026-02-30' }],
    ['a day in words', 'day', 'yesterday', { type: 'plain_text_input', initial_value: 'yesterday' }],
    ['a day', 'day', '2026-02-28', { type: 'datepicker', initial_date: '2026-02-28' }],
    ['a choice in another case', 'mode', 'OFF', { initial_option: { value: 'off' } }],
    ['a number', 'count', '100', { initial_value: '100' }],
    ['a name that is too long', 'name', 'x'.repeat(25), { initial_value: 'x'.repeat(25), max_length: 25 }],
  ])('shows %s as something that can be corrected', (_, key, typed, element) => {
    expect(inputOf(buildForm(everything, { [key]: typed }, memory), key).element).toMatchObject(element);
  });

  it.each([
    ['count', '101'],
    ['count', 'many'],
    ['mode', 'sideways'],
  ])('does not put into the field %s what Slack would refuse there', (key, typed) => {
    const { element } = inputOf(buildForm(everything, { [key]: typed }, memory), key);
    expect(Object.keys(element).filter((name) => name.startsWith('initial'))).toEqual([]);
  });

  it.each(['x'.repeat(151), `${'a.'.repeat(120)}example.com`])(
    'has a text field for what no option holds: %s',
    (text) => {
      const view = buildForm(everything, { zone: text }, memory);
      expect(inputOf(view, 'zone').element).toMatchObject({ type: 'plain_text_input', initial_value: text });
    },
  );

  it.each([
    ['mode', 'onn'],
    ['count', '1000'],
    ['loud', 'perhaps'],
  ])('says under the field %s what was given and cannot stand in it', (key, text) => {
    expect(inputOf(buildForm(everything, { [key]: text }, memory), key).hint).toContain(
      `You gave “${text}”, which is not valid here.`,
    );
  });

  it('never shows half of what was given: it says that it is too long', () => {
    const { element, hint } = inputOf(buildForm(everything, { sql: `SELECT ${'1,'.repeat(2_000)}1` }, memory), 'sql');
    expect(element.initial_value).toBeUndefined();
    expect(hint).toMatch(/too long for a form: 4008 characters/);
  });

  it.each([
    'd57850a7-5bab-414d-b11e-ca355b55d629',
    '{"c":"5f3ed339","m":"{\\"reportType\\":\\"bug\\"}"}',
    '{"operation":["zone list"],"channel":"C1"}',
    '{"operation":"zone list"}',
    '[]',
    'null',
    '7',
    '',
    undefined,
  ])('remembers nothing of a view that is not the bot’s: %s', (private_metadata) => {
    expect(memoryOf({ private_metadata })).toEqual({ operation: '', channel: '' });
  });

  it('remembers where it came from, but for a response address that is too long to keep', () => {
    expect(memoryOf(buildForm(everything, {}, memory))).toEqual({ ...memory, operation: 'word everything', given: {} });
    const long = { ...memory, responseUrl: `https://hooks.example.com/${'x'.repeat(3_000)}` };
    const kept = buildForm(everything, {}, long);
    expect(kept.private_metadata?.length).toBeLessThanOrEqual(3_000);
    expect(memoryOf(kept)).toEqual({ operation: 'word everything', channel: 'C1', thread: '1.2', given: {} });
  });
});

describe('the other views', () => {
  it('are within Slack’s limits too', () => {
    const preview = message('Now: off', 'After: on');
    const confirming = { ...memory, operation: everything.name, confirmation: 'abc', typedName: 'n'.repeat(300) };
    for (const view of [
      buildConfirmView(everything, 'A button that is longer than Slack takes', preview, confirming),
      buildConfirmView(everything, 'A button that is longer than Slack takes', preview, {
        ...confirming,
        typedName: undefined,
      }),
      buildWorkingView(titleOf(everything), 'Working …'),
      buildShownView('A title that is longer than Slack takes', preview),
    ]) {
      expect(validateView(view, 'modal')).toEqual([]);
    }
  });

  it('ask for the name to be typed only where it has to be', () => {
    const confirming = { ...memory, operation: everything.name, confirmation: 'abc' };
    const inputs = (typedName?: string) =>
      buildConfirmView(everything, 'Delete', message('x'), { ...confirming, typedName }).blocks.filter(
        ({ type }) => type === 'input',
      );
    expect(inputs()).toEqual([]);
    expect(inputs('shop-api')).toMatchObject([{ hint: { text: 'shop-api' } }]);
  });
});
