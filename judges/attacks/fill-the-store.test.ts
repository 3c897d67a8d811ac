import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requestApproval } from '../../src/changes/approve.ts';
import { cancel } from '../../src/changes/confirm.ts';
import { createSubscriptions } from '../../src/store/subscriptions.ts';
import { ADA, asked, BEN, createFixture, DAN, type Fixture, MINUTE, said } from '../../test/changes/fixture.ts';
import { PLAIN } from '../../test/support/subscription.ts';

describe('Somebody who wants the bot to remember them alone', () => {
  let fixture: Fixture;

  beforeEach(async () => {
    fixture = await createFixture();
  });
  afterEach(() => fixture.store.close());

  it('asks for change after change and answers none', async () => {
    const ids = [];
    for (let count = 0; count < 20; count += 1) ids.push(asked(await fixture.type('alarm test 5')).confirmation.id);
    const refused = said(await fixture.type('alarm test 5'));
    expect(refused).toEqual([
      'You have 20 changes that wait for you to confirm them. That’s the limit.',
      '· Confirm or cancel one. What nobody answers ends after 15 minutes.',
    ]);
    asked(await fixture.type('alarm test 5', BEN));
    await cancel(fixture.changes, ids[0]!, ADA);
    asked(await fixture.type('alarm test 5'));
    // Nothing was dropped for it: the oldest can still be confirmed.
    expect((await fixture.press(ids[1]!)).kind).toBe('done');
    fixture.pass(16 * MINUTE);
    asked(await fixture.type('alarm test 5'));
  });

  it('asks all at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => fixture.type('alarm test 5')));
    expect(answers.filter(({ kind }) => kind === 'question')).toHaveLength(20);
  });

  it('has others asked for approval after approval', async () => {
    const ask = async () => {
      const { id } = asked(await fixture.type('server set billing on')).confirmation;
      return requestApproval(fixture.changes, id, ADA, 'because');
    };
    for (let count = 0; count < 20; count += 1) expect((await ask()).kind).toBe('waiting');
    await expect(ask()).rejects.toMatchObject({
      message:
        'You have 20 changes that wait for an approval, for you to run them, or for their time. That’s the limit.',
      hint: '`/edge approval list` shows them. Run or cancel one.',
    });
  });

  it('has change after change put back by the clock', async () => {
    for (let count = 0; count < 50; count += 1) {
      const power = count % 2 === 0 ? 'on' : 'off';
      expect((await fixture.do(`server set web ${power} --for 30m`)).kind).toBe('done');
    }
    expect(said(await fixture.type('server set web on --for 30m'))[0]).toBe(
      'You have 50 temporary changes. That’s the limit.',
    );
    asked(await fixture.type('server set web on'));
    asked(await fixture.type('server set web on --for 30m', BEN));
  });

  it('reads and reads, and of the answers that are kept for sharing the oldest go', async () => {
    for (let count = 0; count < 100; count += 1)
      expect(await fixture.type('server list')).toMatchObject({ kind: 'result', shareId: expect.anything() });
    for (const person of [ADA, BEN])
      expect(await fixture.type('server list', person)).toMatchObject({ shareId: expect.anything() });
    const { rows } = await fixture.store.database.execute('SELECT count(*) AS kept FROM results GROUP BY actor');
    expect(rows.map(({ kept }) => kept)).toEqual([100, 1]);
  });

  it('subscribes to report after report', async () => {
    const subscriptions = createSubscriptions(fixture.store.database);
    const add = (owner: string) => subscriptions.add({ ...PLAIN, owner }, () => undefined);
    for (let count = 0; count < 50; count += 1) await add('U1');
    await expect(add('U1')).rejects.toThrow('You have 50 subscriptions.');
    await add('U2');
    await subscriptions.end(1);
    await add('U1');
    for (let count = 51; count < 500; count += 1) await add(`U${(count % 10) + 3}`);
    await expect(add('U99')).rejects.toThrow('This workspace has 500 subscriptions. That’s the limit.');
  });

  it('has the audit written full with what they may not do', async () => {
    const refused = () => fixture.type(`server set mail on`, DAN);
    for (let count = 0; count < 500; count += 1) await refused();
    expect(await fixture.audit()).toHaveLength(10);
    await fixture.type('server look web', DAN);
    fixture.pass(MINUTE);
    await refused();
    expect((await fixture.audit()).slice(10)).toMatchObject([
      { actor: 'UDAN', operation: 'server look', outcome: 'done' },
      { actor: 'UDAN', outcome: 'forbidden' },
    ]);
  });

  it('has a long text in each of them', async () => {
    await fixture.type(`backup delete "${'x'.repeat(15_000)}"`, DAN);
    const entries = await fixture.audit();
    expect(entries.length).toBeGreaterThan(0);
    expect(JSON.stringify(entries).length).toBeLessThan(2_000);
  });
});
