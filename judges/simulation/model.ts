import { message } from '../../src/blocks/message.ts';
import { mrkdwn } from '../../src/blocks/mrkdwn.ts';
import { laterThan } from '../../src/operations/arguments/later.ts';
import { choice, forAWhile, text } from '../../src/operations/arguments/plain.ts';
import { type AnyOperation, defineOperation } from '../../src/operations/operation.ts';
import { PlatformConnectionError } from '../../src/platform/errors.ts';
import type { Process } from './clock.ts';
import type { Gates } from './gates.ts';

export const DIALS = ['left', 'right', 'guarded'] as const;

/** A platform that is small enough to be right: what its state is, and how often each change was made. */
export interface Model {
  dials: Map<string, string>;
  /** By the mark of the change, how often it was made. */
  made: Map<string, number>;
  /** When each dial was last turned, in milliseconds. */
  changedAt: Map<string, number>;
  /** What a dial was at when a change set it, and since when: a change that was asked for on another state must not be made. */
  found: { mark: string; value: string; since: number; at: number }[];
}

export function createModel(): Model {
  return { dials: new Map(DIALS.map((dial) => [dial, '0'])), made: new Map(), changedAt: new Map(), found: [] };
}

const lost = () =>
  new PlatformConnectionError('the connection broke off', {
    applied: 'maybe',
    service: 'api',
    method: 'PUT',
    path: '/',
  });
const unread = () =>
  new PlatformConnectionError('the connection broke off', { applied: 'no', service: 'api', method: 'GET', path: '/' });

/**
 * Three kinds of change as one process of the bot makes them: one that the platform shows and that can be taken back, one that
 * it does not show, one that wants its name typed. Each typed line has a mark of its own, by which it is counted.
 */
export function operationsOn(model: Model, gates: Gates, owner: Process, now: () => number): readonly AnyOperation[] {
  const { changedAt } = model;
  const make = (mark: string, change: () => void) =>
    gates.pass(
      owner,
      `platform makes ${mark}`,
      () => {
        model.made.set(mark, (model.made.get(mark) ?? 0) + 1);
        change();
      },
      lost,
    );
  const mark = text('Mark');
  return [
    defineOperation({
      name: 'dial set',
      summary: 'Set a dial',
      effect: 'write',
      args: {
        dial: choice('Dial', DIALS),
        value: choice('Value', ['0', '1', '2', '3']),
        mark,
        for: forAWhile(),
        at: laterThan(),
      },
      target: ({ dial, mark: name }) => `${dial} ${name.replace(/u+$/, '')}`,
      async preview({ dial, value }) {
        const present = await gates.pass(owner, `platform shows ${dial}`, () => model.dials.get(dial), unread);
        return { before: { value: present }, after: { value } };
      },
      run: ({ dial, value, mark: name }) =>
        make(name, () => {
          const present = model.dials.get(dial) ?? '';
          model.found.push({ mark: name, value: present, since: changedAt.get(dial) ?? 0, at: now() });
          if (present !== value) changedAt.set(dial, now());
          model.dials.set(dial, value);
        }),
      render: (_, { dial, value }) => message(mrkdwn`The dial ${dial} is at ${value}.`),
      undo: ({ before }, { mark: name }) => ({ value: String(before.value), mark: `${name}u` }),
    }),
    defineOperation({
      name: 'counter add',
      summary: 'Add one',
      effect: 'write',
      args: { mark },
      target: ({ mark: name }) => `the counter ${name}`,
      run: ({ mark: name }) => make(name, () => undefined),
      render: () => message('One was added.'),
    }),
    defineOperation({
      name: 'box drop',
      summary: 'Drop a box',
      effect: 'destructive',
      args: { mark },
      target: ({ mark: name }) => `box ${name}`,
      run: ({ mark: name }) => make(name, () => undefined),
      render: () => message('It is gone.'),
    }),
  ];
}
