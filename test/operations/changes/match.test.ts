import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matched, type Ours, type Theirs, TOLERANCE } from '../../../src/operations/changes/match.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** What can be changed: some with a command that makes the same change, some without. */
const things = [
  { operation: 'ssl force', target: 'a.example on shop (1)', names: ['(1)'], after: { ForceSSL: true }, isKnown: true },
  {
    operation: 'ssl force',
    target: 'b.example on shop (1)',
    names: ['(1)'],
    after: { ForceSSL: false },
    isKnown: true,
  },
  { operation: 'cache clear', target: 'shop (1)', names: ['(1)'], after: { cache: 'empty' }, isKnown: true },
  {
    operation: 'bot set',
    target: 'Tool bots on blog (2), shield zone 7',
    names: ['(2)', 'shield zone 7'],
    after: { action: 'Block' },
    isKnown: true,
  },
  {
    operation: 'guardian upload',
    target: 'blog (2), shield zone 7',
    names: ['(2)', 'shield zone 7'],
    after: {},
    isKnown: false,
  },
  { operation: 'app delete', target: 'mailer (HbqF)', names: ['(HbqF)'], after: {}, isKnown: false },
];

type Thing = (typeof things)[number];

const ourOf = ({ operation, target, after }: Thing, at: number): Ours => ({
  ...{ at: new Date(at), operation, target, preview: { after } },
});
const theirOf = (thing: Thing, at: number, actor: string | undefined): Theirs => ({
  ...{ at: new Date(at), actor, names: thing.names },
  ...(thing.isKnown ? { as: thing } : {}),
});

/** Changes of the bot, of which some are not logged yet, and changes of others, at the same seconds of the same things. */
const world = fc.record({
  bots: fc.array(fc.record({ at: fc.integer({ min: 0, max: 3_600 }), thing: fc.nat(5), isLogged: fc.boolean() }), {
    maxLength: 12,
  }),
  others: fc.array(fc.record({ at: fc.integer({ min: 0, max: 3_600 }), thing: fc.nat(5), who: fc.nat(2) }), {
    maxLength: 12,
  }),
  skew: fc.integer({ min: -60, max: 60 }),
  order: fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
});

describe('matching what the bot did with the audit of the platform', () => {
  it('never tells a change of the bot as somebody else’s where most are logged, nor takes somebody else’s for the bot’s', () => {
    fc.assert(
      fc.property(world, ({ bots, others, skew, order }) => {
        // Most changes of the bot are logged: by those that are far from all others its key is known.
        const missing = bots.filter(({ isLogged }) => !isLogged).length;
        const known = Array.from({ length: 2 + missing }, (_, index) => ({
          at: -3_600 * (index + 2),
          thing: 0,
          isLogged: true,
        }));
        const all = [...known, ...bots];
        const ours = all.map(({ at, thing }) => ourOf(things[thing]!, at * SECOND));
        const theirs = [
          ...all.flatMap(({ at, thing, isLogged }) =>
            isLogged ? [theirOf(things[thing]!, (at + skew) * SECOND, 'ApiKey 1')] : [],
          ),
          ...others.map(({ at, thing, who }) => theirOf(things[thing]!, at * SECOND, `User ${who}`)),
        ]
          .map((one) => ({ one, by: order.next().value }))
          .sort((a, b) => a.by - b.by)
          .map(({ one }) => one);
        const { ours: found } = matched(ours, theirs);
        expect(theirs.map((one) => found.has(one))).toEqual(theirs.map(({ actor }) => actor === 'ApiKey 1'));
      }),
      { numRuns: 500 },
    );
  });

  it('tells one of two where both did the same at the same time, and the platform does not say who', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(5), { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat(5), { maxLength: 8 }),
        (bots, others) => {
          // A quarter of an hour apart, so that only the same moment can be taken for another.
          const at = (index: number) => index * 5 * TOLERANCE;
          const ours = bots.map((thing, index) => ourOf(things[thing]!, at(index)));
          const theirs = [
            ...bots.map((thing, index) => theirOf(things[thing]!, at(index) + SECOND, undefined)),
            ...others.map((thing, index) => theirOf(things[thing]!, at(index) + 2 * SECOND, undefined)),
          ];
          const { ours: found, actor } = matched(ours, theirs);
          expect(actor).toBeUndefined();
          expect(found.size).toBe(bots.length);
          expect(new Set(found.values()).size).toBe(bots.length);
        },
      ),
    );
  });

  it('takes an entry without a resource for the bot’s only by the actor of its key', () => {
    const ours = [0, 1, 2].map((hour) => ourOf(things[5]!, hour * HOUR));
    const logged = ours.slice(0, 2).map(({ at }) => theirOf(things[5]!, at.getTime(), 'ApiKey 1'));
    const bare = (actor: string | undefined): Theirs => ({ at: new Date(2 * HOUR), actor, names: [] });
    const isOurs = (one: Theirs) => matched(ours, [...logged, one]).ours.has(one);
    expect([isOurs(bare('ApiKey 1')), isOurs(bare('User 5'))]).toEqual([true, false]);
    expect(matched(ours, [bare(undefined)]).ours.size).toBe(0);
  });

  it('leaves another change of the same thing to others where its own is not logged yet', () => {
    const [on] = things;
    const other: Theirs = { at: new Date(60 * SECOND), actor: 'User 5', names: on!.names };
    const own = theirOf(on!, SECOND, 'ApiKey 1');
    const { ours } = matched([ourOf(on!, 0), ourOf(on!, 60 * SECOND)], [own, other]);
    expect([...ours.keys()]).toEqual([own]);
  });

  it('takes the opposite, a minute later, for somebody else’s', () => {
    const [on] = things;
    const off = { ...on!, after: { ForceSSL: false } };
    const own = theirOf(on!, SECOND, undefined);
    const { ours } = matched([ourOf(on!, 0)], [own, theirOf(off, 60 * SECOND, undefined)]);
    expect([...ours.keys()]).toEqual([own]);
  });
});
