import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plain } from '../../src/blocks/mrkdwn.ts';
import { cardOf } from '../../src/changes/approval-card.ts';
import { type ChangeState, isRunnable, STATES } from '../../src/changes/change.ts';
import type { Services } from '../../src/changes/services.ts';
import { stateMessage, wordsFor } from '../../src/changes/words.ts';
import { operations } from '../../src/operations/index.ts';
import type { Confirmation } from '../../src/store/confirmations.ts';
import { MINUTE } from '../../src/time.ts';
import { unreadable } from '../support/readable.ts';
import { BEFORE_THE_FOLD, CHANGES, DEFINITION } from './lines.ts';
import { type OnSimulator, onSimulator } from './on-simulator.ts';
import { buttonsOf, fileOf, NOW, prepare } from './performing.ts';

const VERDICTS = [{ approver: 'U0BEN', verdict: 'approved' as const, reason: 'the certificate is there' }];

const services = {
  operations,
  policy: {
    approvalFor: () => ({
      approvers: ['U0BEN', 'U0DORA'],
      count: 2,
      anybody: false,
      who: '@leads',
      words: '2 approvals from @leads',
    }),
  },
  store: { approvals: { verdicts: async () => VERDICTS }, audit: { knows: async () => undefined } },
} as unknown as Services;

/** The buttons that a card has while they do something. */
const buttonsIn = (state: ChangeState): string[] => {
  if (state === 'waiting') return ['Approve', 'Reject …', 'Look closer'];
  if (state === 'expired') return ['Ask again'];
  if (state === 'planned') return ['Cancel'];
  return isRunnable(state) ? ['Run'] : [];
};

/** Of its arguments the audit keeps a part only: a value, or a file. */
const isShortened = (line: (typeof CHANGES)[number]): boolean =>
  /^(variable add|guardian)/.test(typeof line === 'string' ? line : line.operation);

describe('a change, in every state that it comes to,', () => {
  let setting: OnSimulator;
  beforeAll(async () => {
    setting = { ...(await onSimulator()), files: [fileOf('F0000001', 'shop.yaml', DEFINITION)] };
  });
  afterAll(() => setting.close());

  it.each(CHANGES)('says what it is and how it stands, and has the buttons that do something: %j', async (line) => {
    const { operation, canonical, target, preview } = await prepare(line, setting);
    const { before, after } = await preview();
    const change = { target, given: canonical, before, after };
    const title = plain(wordsFor(operation, change).title);
    for (const state of Object.keys(STATES) as ChangeState[]) {
      const times = { createdAt: NOW, expiresAt: new Date(NOW.getTime() + 30 * MINUTE) };
      const confirmation: Confirmation = {
        ...{ ...change, ...times, state, id: '1', operation: operation.name, preview: { before, after } },
        ...{ actor: 'U0ADA', team: 'T0', channel: 'C0OPS', reason: 'a customer asked' },
        ...(state === 'planned' ? { due: NOW } : {}),
      };
      const card = await cardOf(services, confirmation);
      expect(card.text.split('\n')[0], state).toBe(`<@U0ADA> wants to ${title[0]!.toLowerCase()}${title.slice(1)}`);
      // What is not shown whole is approved where it is.
      const isPart = /approve it, press Look closer/.test(card.text);
      expect(isPart, state).toBe(state === 'waiting' && isShortened(line));
      expect(Object.keys(buttonsOf(card)), state).toEqual(
        buttonsIn(state).filter((one) => !isPart || one !== 'Approve'),
      );
      const told = stateMessage(services, confirmation);
      expect(told.text, state).toContain(title);
      for (const said of [card, told]) {
        expect(said.text.split('\n').length, state).toBeLessThanOrEqual(BEFORE_THE_FOLD);
        expect(unreadable(said), state).toEqual([]);
      }
      // Nothing is asked for once more while it may still be done.
      const isOver = STATES[state].stage === 'over' && state !== 'done';
      if (STATES[state].stage !== 'asking')
        expect(Object.keys(buttonsOf(told)), state).toEqual(isOver ? ['Ask again'] : []);
    }
  });

  it.each([
    ['ssl force dl.example.com on', 'ssl force dl.example.com off'],
    ['bot set shop seo block', 'bot set shop seo allow'],
  ])('has a title with its direction: %s, %s', async (...lines) => {
    const titles = lines.map(async (line) => {
      const { operation, canonical, target, preview } = await prepare(line, setting);
      const { title, done, button } = wordsFor(operation, { target, given: canonical, ...(await preview()) });
      return [title, done, button].map((words) => plain(words));
    });
    const [one = [], other = []] = await Promise.all(titles);
    for (const [at, words] of one.entries()) expect(words).not.toBe(other[at]);
  });
});
