import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { validateMessage } from '../../playground/slack/block-kit/validate.ts';
import { BUTTONS, button, commandButton } from '../../src/blocks/buttons.ts';
import { actions, message } from '../../src/blocks/message.ts';

const src = fileURLToPath(new URL('../../src/', import.meta.url));

/** The lines of the bot's code, but for the one file that may say how buttons are. */
const lines = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && file !== join('blocks', 'buttons.ts'))
  .flatMap((file) =>
    readFileSync(join(src, file), 'utf8')
      .split('\n')
      .map((line, at) => ({ where: `src/${file}:${at + 1}`, line })),
  );
const linesWith = (pattern: RegExp) => lines.filter(({ line }) => pattern.test(line)).map(({ where }) => where);

it('every button is one that Slack takes', () => {
  const all = Object.values(BUTTONS).map((declared) => button(declared, 'c1'));
  for (const one of [...all, commandButton('Next page', 'key list --page 2')])
    expect(validateMessage({ text: '–', blocks: message(actions(one)).blocks }), one.action_id).toEqual([]);
});

it('no file but blocks/buttons.ts builds a button', () => {
  expect(linesWith(/type: 'button'/)).toEqual([]);
});

it('no other file writes the label of a button that blocks/buttons.ts declares', () => {
  const labels = new Set<string>(Object.values(BUTTONS).map(({ label }) => label));
  // The columns of tables have labels of their own.
  const written = lines.filter(({ line }) =>
    [...line.matchAll(/(?<!label: )'([^']+)'/g)].some(([, text = '']) => labels.has(text)),
  );
  expect(written.map(({ where }) => where)).toEqual([]);
});
