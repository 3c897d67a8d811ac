import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { message } from '../../src/blocks/message.ts';
import { breakGlass, requestApproval, vote } from '../../src/changes/approve.ts';
import { ask as askFor } from '../../src/changes/ask.ts';
import { confirm } from '../../src/changes/confirm.ts';
import type { Services } from '../../src/changes/services.ts';
import { optional, text } from '../../src/operations/arguments/plain.ts';
import type { Actor } from '../../src/operations/context.ts';
import type { AnyOperation } from '../../src/operations/operation.ts';
import { parsePolicy } from '../../src/policy/document.ts';
import type { Directory } from '../../src/policy/names.ts';
import { createPolicy } from '../../src/policy/policy.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { catalogueOf } from '../../test/operations/performing.ts';
import { COMMANDS, EXAMPLE, peopleOf, placesOf, targetsOf, WORLD } from '../../test/policy/dimensions.ts';
import { createOracle, type Person, type Question, type Terms, type World } from '../../test/policy/oracle.ts';
import { changeServices } from '../../test/support/services.ts';

const MINUTE = 60_000;
/** The README: a confirmation expires after 15 minutes. */
const CONFIRMATION = 15 * MINUTE;

/** Groups, channels and admins that may change while something waits. */
interface Office {
  world: World;
}

const CHANGES = COMMANDS.filter(({ effect }) => effect !== 'read');

/** Who presses what of an approval, in order. `entitled`: those whom the oracle says may approve. */
type Press =
  | 'requester'
  | 'stranger'
  | 'guest'
  | 'outsider'
  | 'entitled'
  | 'the same one'
  | 'a rejection'
  | 'the glass';

/** The dimension of approvals: for a rule that asks for `count`. */
const APPROVALS: Record<string, (count: number) => Press[]> = {
  'by nobody': () => [],
  'by the requester alone': (count) => Array(count).fill('requester'),
  'by one too few, and the requester': (count) => [...Array(count - 1).fill('entitled'), 'requester'],
  'by one too few, and a stranger with the id of one who may': (count) => [
    ...Array(count - 1).fill('entitled'),
    'stranger',
  ],
  'by one too few, and a guest with the id of one who may': (count) => [...Array(count - 1).fill('entitled'), 'guest'],
  'by outsiders': (count) => Array(count).fill('outsider'),
  'by one and the same, again and again': (count) => ['entitled', ...Array(count - 1).fill('the same one')],
  'by as many as it takes': (count) => Array(count).fill('entitled'),
  'by the requester, who breaks the glass': () => ['the glass'],
  'by as many as it takes, after one said no': (count) => ['a rejection', ...Array(count).fill('entitled')],
};

/** The dimension of time: when it is decided, when it is run after that, and who has lost their rights by then. */
const TIMES: {
  when: string;
  decide(expires: number): number;
  run(expires: number): number;
  leave?: 'before' | 'after';
}[] = [
  { when: 'at once', decide: () => MINUTE, run: () => MINUTE },
  { when: 'at the last moment, twice', decide: (expires) => expires - 1, run: (expires) => expires - 1 },
  { when: 'too late to be decided', decide: (expires) => expires, run: () => MINUTE },
  { when: 'too late to be run', decide: () => MINUTE, run: (expires) => expires },
  { when: 'after the groups were emptied', decide: () => MINUTE, run: () => MINUTE, leave: 'before' },
  {
    when: 'decided before the groups were emptied, run after',
    decide: () => MINUTE,
    run: () => MINUTE,
    leave: 'after',
  },
];

const emptied = (world: World): World => ({
  ...world,
  groups: Object.fromEntries(Object.keys(world.groups).map((group) => [group, []])),
});

describe('The table of person × channel × operation × target × approval × time', () => {
  let store: Store;
  let changes: Services;
  const answerOf = createOracle(EXAMPLE);
  const document = parsePolicy({ text: EXAMPLE, file: 'policy.yml', commands: COMMANDS, admins: WORLD.admins });
  const office: Office = { world: WORLD };
  let now = Date.UTC(2026, 10, 21, 12);
  let ran = 0;

  /** A command of the registry that does nothing but count: what it is about stands in its arguments as it is. */
  const standIn = ({ name, effect, subjects }: (typeof COMMANDS)[number]): AnyOperation => ({
    name,
    summary: name,
    effect,
    args: Object.fromEntries(
      subjects.map((subject, index) => [
        `argument${index}`,
        {
          ...optional(text(subject)),
          names: {
            of: { [subject]: (word) => word },
            read: (value) => ({ [subject]: [JSON.parse(String(value)) as string[]] }),
          },
        },
      ]),
    ),
    target: () => 'it',
    run: async () => {
      ran += 1;
    },
    render: () => message('Done.'),
  });

  const directory: Directory = {
    group: (reference) => office.world.groups[reference],
    person: (id) => id,
    channel: (reference) => office.world.channels[reference] ?? (reference.startsWith('#') ? undefined : reference),
    knows: (id) => Object.values(office.world.channels).includes(id),
  };

  const operations = CHANGES.map(standIn);

  beforeAll(async () => {
    store = await openStore({ url: ':memory:', clock: () => new Date(now) });
    changes = changeServices({
      operations,
      // The audit has tests of its own.
      store: { ...store, audit: { ...store.audit, append: async () => undefined } },
      policy: createPolicy(document, directory),
      now: () => new Date(now),
      catalogue: catalogueOf({ zones: [] }),
    });
  });
  afterAll(() => store.close());

  const actorOf = ({ id, kind }: Person): Actor => ({ id, kind, teamId: kind === 'stranger' ? 'T0OTHER' : 'T0HOME' });
  const reader = { locale: 'en-US', timezone: 'UTC', now: new Date(now) };
  const people = peopleOf(document, WORLD);
  const places = placesOf(document, WORLD);

  /** Asks. Undefined: refused. */
  async function ask({ person, channel, command, target }: Question) {
    const operation = operations.find(({ name }) => name === command.name)!;
    const given = Object.fromEntries(
      command.subjects.flatMap((subject, index) => {
        const words = target[subject];
        return words == null ? [] : [[`argument${index}`, JSON.stringify(words)]];
      }),
    );
    const answer = await askFor(changes, {
      operation,
      given,
      actor: actorOf(person),
      place: { channelId: channel, external: false },
      reader,
    });
    if (answer.kind === 'question') return answer;
    expect(answer).toMatchObject({ kind: 'problem', outcome: 'forbidden' });
    return undefined;
  }

  async function press(id: string, person: Person): Promise<boolean> {
    const before = ran;
    await confirm(changes, id, { actor: actorOf(person), reader, typedName: 'it' });
    expect(ran - before).toBeLessThanOrEqual(1);
    return ran > before;
  }

  /** The presses of the approval, with who makes them; `entitled` ones are other people each. */
  function pressersOf(presses: readonly Press[], terms: Terms, requester: Person): { by: Person; reject: boolean }[] {
    const entitled = people.filter(({ kind, id }) => kind === 'member' && terms.mayApprove({ kind, id }));
    const [first = { id: 'U0NOBODY', kind: 'member' as const }] = entitled;
    const outsiders = people.filter(
      ({ kind, id }) => kind === 'member' && !entitled.some((one) => one.id === id) && id !== requester.id,
    );
    let used = 0;
    let strangers = 0;
    return presses.flatMap((one) => {
      const reject = one === 'a rejection';
      if (one === 'the glass') return [];
      if (one === 'requester') return [{ by: requester, reject }];
      if (one === 'stranger') return [{ by: { id: (entitled[used] ?? first).id, kind: 'stranger' as const }, reject }];
      if (one === 'guest') return [{ by: { id: (entitled[used] ?? first).id, kind: 'guest' as const }, reject }];
      if (one === 'the same one') return [{ by: first, reject }];
      const by = one === 'outsider' ? outsiders[strangers++] : entitled[used++];
      return by === undefined ? [] : [{ by, reject }];
    });
  }

  /** What has to become of it, by the words of the README and nothing else. */
  function fateOf(
    question: Question,
    terms: Terms,
    presses: readonly { by: Person; reject: boolean }[],
    {
      decidedAt,
      ranAfter,
      atDeciding,
      atRunning,
      glass,
    }: { glass: boolean; decidedAt: number; ranAfter: number; atDeciding: World; atRunning: World },
  ): boolean {
    const deciding = answerOf(question, atDeciding);
    if (decidedAt >= terms.expires || deciding === 'denied') return false;
    if (glass) return terms.glass !== null && ranAfter < CONFIRMATION && answerOf(question, atRunning) !== 'denied';
    const yes: string[] = [];
    for (const { by, reject } of presses) {
      if (typeof deciding === 'string' || !deciding.mayApprove(by) || yes.includes(by.id)) continue;
      if (reject) return false;
      if (yes.length < terms.count) yes.push(by.id);
    }
    if (yes.length < terms.count || ranAfter >= terms.expires) return false;
    const running = answerOf(question, atRunning);
    if (running === 'denied' || running === 'allowed') return running === 'allowed';
    return (
      yes.filter((id) => running.mayApprove({ id, kind: 'member' }) || running.mayApprove({ id, kind: 'guest' }))
        .length >= terms.count
    );
  }

  it('of the example is what an independent reading of the file says, in every cell', async () => {
    const cells: Record<string, number> = {};
    const wrong: string[] = [];
    const cell = (what: string, came: boolean, wanted: boolean, where: string) => {
      const fate = `${what}, ${wanted ? 'done' : 'not done'}`;
      cells[fate] = (cells[fate] ?? 0) + 1;
      if (came !== wanted) wrong.push(`${where}: ${came ? 'done' : 'not done'}`);
    };

    for (const person of people)
      for (const channel of places)
        for (const command of CHANGES)
          for (const target of targetsOf(command.subjects)) {
            const question = { person, channel, command, target };
            const answer = answerOf(question, WORLD);
            const where = `${person.kind} ${person.id} in ${channel}: ${command.name} ${JSON.stringify(target)}`;
            if (answer === 'denied') {
              cell('refused', (await ask(question)) !== undefined, false, where);
              continue;
            }
            if (answer === 'allowed') {
              for (const { after, leave } of [
                { after: CONFIRMATION - 1 },
                { after: CONFIRMATION },
                { after: 0, leave: true },
              ]) {
                office.world = WORLD;
                const asked = await ask(question);
                if (asked === undefined || asked.approval !== undefined) wrong.push(`${where}: is not simply asked`);
                now += after;
                if (leave === true) office.world = emptied(WORLD);
                const wanted = after < CONFIRMATION && answerOf(question, office.world) === 'allowed';
                cell(
                  'confirmed',
                  asked !== undefined && (await press(asked.confirmation.id, person)),
                  wanted,
                  `${where} after ${after} ms`,
                );
                office.world = WORLD;
              }
              continue;
            }
            for (const [how, pressesOf] of Object.entries(APPROVALS))
              for (const { when, decide, run, leave } of TIMES) {
                office.world = WORLD;
                const asked = await ask(question);
                if (asked?.approval === undefined) {
                  wrong.push(`${where}: needs no approval`);
                  continue;
                }
                const { id } = asked.confirmation;
                const presses = pressersOf(pressesOf(answer.count), answer, person);
                await requestApproval(changes, id, actorOf(person), 'because');
                now += decide(answer.expires);
                if (leave === 'before') office.world = emptied(WORLD);
                const atDeciding = office.world;
                const glass = pressesOf(answer.count)[0] === 'the glass';
                if (glass) await breakGlass(changes, id, actorOf(person), 'it burns', async () => undefined);
                for (const { by, reject } of presses)
                  await vote(changes, id, actorOf(by), reject ? 'rejected' : 'approved', reject ? 'no' : '');
                now += run(answer.expires);
                if (leave !== undefined) office.world = emptied(WORLD);
                const wanted = fateOf(question, answer, presses, {
                  decidedAt: decide(answer.expires),
                  ranAfter: run(answer.expires),
                  atDeciding,
                  atRunning: office.world,
                  glass,
                });
                cell('approved', await press(id, person), wanted, `${where}, ${how}, ${when}`);
                office.world = WORLD;
                // Nobody breaks the glass more than a few times a day.
                if (glass) now += 86_400_000;
              }
          }
    expect(wrong.slice(0, 10), `${wrong.length} cells`).toEqual([]);
    // Nothing is asked of a table that has only one answer.
    expect(cells).toEqual({
      'refused, not done': expect.any(Number),
      'confirmed, done': expect.any(Number),
      'confirmed, not done': expect.any(Number),
      'approved, done': expect.any(Number),
      'approved, not done': expect.any(Number),
    });
    expect(Object.values(cells).reduce((sum, count) => sum + count)).toBeGreaterThan(10_000);
  }, 300_000);
});
