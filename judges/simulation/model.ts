import { message } from '../../src/blocks/message.ts';
import { mrkdwn } from '../../src/blocks/mrkdwn.ts';
import { laterThan } from '../../src/operations/arguments/later.ts';
import { choice, forAWhile, text, watch } from '../../src/operations/arguments/plain.ts';
import { type AnyOperation, defineOperation } from '../../src/operations/operation.ts';
import { PlatformConnectionError } from '../../src/platform/errors.ts';
import type { Process } from './clock.ts';
import type { Gates } from './gates.ts';

export const DIALS = ['left', 'right', 'guarded'] as const;

/** Each dial is a pull zone, which fails while it is at 3. */
export const zoneOf = (dial: string): number => 1001 + DIALS.indexOf(dial as 'left');
const FAILS = '3';

/** A platform that is small enough to be right: what its state is, and how often each change was made. */
export interface Model {
  dials: Map<string, string>;
  /** By the mark of the change, how often it was made. */
  made: Map<string, number>;
  /** When each dial was last turned, in milliseconds. */
  changedAt: Map<string, number>;
  /** What was done to which zone, in order. What is done elsewhere has no mark, and leaves the dial. */
  turned: { zone: number; at: number; mark?: string; value: string }[];
  /** What a dial was at when a change set it, and since when: a change that was asked for on another state must not be made. */
  found: { mark: string; value: string; since: number; at: number }[];
}

export function createModel(): Model {
  return {
    dials: new Map(DIALS.map((dial) => [dial, '0'])),
    made: new Map(),
    changedAt: new Map(),
    turned: [],
    found: [],
  };
}

/** Something else of the zone that was changed last. */
export function turnElsewhere({ turned }: Model, at: number): void {
  const last = turned.at(-1);
  if (last !== undefined) turned.push({ zone: last.zone, at, value: last.value });
}

/** A request each second of the stretch that has happened. */
export function logOf({ turned }: Model, zone: number, { from, to, now }: { from: number; to: number; now: number }) {
  const valueAt = (at: number) => turned.findLast((turn) => turn.zone === zone && turn.at <= at)?.value;
  const seconds = Math.max(0, Math.floor((Math.min(to, now) - from) / 1000));
  return Array.from({ length: seconds }, (_, second) => {
    const at = from + 1000 * second;
    return { timestamp: new Date(at).toISOString(), statusCode: valueAt(at) === FAILS ? 502 : 200 };
  });
}

/** The platform’s audit, newest first. */
export const auditOf = ({ turned }: Model, from: Date, to: Date) =>
  turned
    .map(({ zone, at, mark }) => ({
      at: new Date(at),
      fields: [],
      ResourceType: 'PullZone',
      ResourceId: String(zone),
      ActorType: 'User',
      ActorId: mark === undefined ? '2' : '1',
    }))
    .filter(({ at }) => at >= from && at < to)
    .reverse();

const lost = () =>
  new PlatformConnectionError('the connection broke off', {
    applied: 'maybe',
    service: 'api',
    method: 'PUT',
    path: '/',
  });
export const unread = () =>
  new PlatformConnectionError('the connection broke off', { applied: 'no', service: 'api', method: 'GET', path: '/' });

const same = (word: string) => word;
const namesOf = (dial: unknown) => ({ dial: [[String(dial)]], zone: [[String(zoneOf(String(dial)))]] });

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
        dial: { ...choice('Dial', DIALS), names: { of: { dial: same, zone: same }, read: namesOf } },
        value: choice('Value', ['0', '1', '2', '3']),
        mark,
        for: forAWhile(),
        at: laterThan(),
        watch: watch(),
      },
      target: ({ dial, mark: name }) => `${dial} (${zoneOf(dial)}) ${name.replace(/u+$/, '')}`,
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
          model.turned.push({ zone: zoneOf(dial), at: now(), mark: name, value });
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
