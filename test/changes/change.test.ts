import { describe, expect, it } from 'vitest';
import { type ChangeState, STATES, TRANSITIONS } from '../../src/changes/change.ts';

const all = Object.entries(TRANSITIONS).map(([name, transition]) => ({
  name,
  from: transition.from as readonly ChangeState[],
  to: transition.to as ChangeState,
}));
describe('The life of a change', () => {
  it('begins with something that can be run or approved, and every state is reached', () => {
    const reached = new Set(all.filter(({ from }) => from.length === 0).map(({ to }) => to));
    expect([...reached]).toEqual(['asked', 'drafted']);
    for (const _ of all) for (const { from, to } of all) if (from.some((state) => reached.has(state))) reached.add(to);
    expect([...reached].sort()).toEqual(Object.keys(STATES).sort());
  });

  it('can be cancelled and expires as long as people decide, and only then', () => {
    const asking = Object.entries(STATES).flatMap(([state, { stage }]) => (stage === 'asking' ? [state] : []));
    expect([...TRANSITIONS.cancel.from].sort()).toEqual(asking.sort());
    // A planned change is done, or ends as one that was tried.
    const unconfirmed = asking.filter((state) => state !== 'planned');
    expect([...TRANSITIONS.expire.from].sort()).toEqual(unconfirmed.sort());
  });

  it('sends only what was claimed before, claims only what was asked, approved or planned, and sends nothing twice', () => {
    const to = (state: ChangeState) => new Set(all.flatMap((one) => (one.to === state ? one.from : [])));
    expect([...to('sent')]).toEqual(['claimed']);
    expect([...to('claimed')]).toEqual(['asked', 'approved', 'planned']);
    for (const { name, from, to: end } of all) {
      if (from.some((state) => STATES[state].stage === 'over')) expect(STATES[end].stage, name).toBe('over');
      if (from.includes('sent')) expect(STATES[end].stage, name).toBe('over');
    }
  });

  it('leads out of an end only where it becomes known later, or is taken back', () => {
    const left = all.flatMap(({ from, to }) =>
      from.flatMap((state) => (STATES[state].stage === 'over' && state !== to ? [`${state} → ${to}`] : [])),
    );
    expect(left).toEqual(['unknown → done', 'unknown → failed', 'done → undone']);
  });
});
