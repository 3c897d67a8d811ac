import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { again, at, type Desk, logged, NAMED, open, openDesk, row, SETTLING, slot, subscribed } from './desk.ts';

const MINUTE = 60_000;

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.database.close());

describe('a message whose answer was lost', () => {
  const lost = () => {
    throw new Error('no answer');
  };

  it('is looked for, after what was on its way has arrived, and written down when it is there', async () => {
    const id = await subscribed(desk);
    desk.after = lost;
    expect(await slot(desk, id, 0)).toBe('later');
    desk.found = '1';
    expect(await again(desk, id, 0, 1)).toBe('posted');
    expect([desk.waited.filter((one) => one === SETTLING).length, desk.looked, desk.said.length]).toEqual([1, 1, 1]);
    expect(await row(desk, 0)).toMatchObject({ state: 'posted', ts: '1', covers_to: at(0).getTime() });
    expect(logged(desk, 30)).toContainEqual(
      expect.objectContaining({
        ...NAMED,
        subscription: 1,
        report: 'errors',
        channel: 'C1',
        slot: at(0).toISOString(),
        err: expect.objectContaining({ message: 'no answer' }),
      }),
    );
  });

  it('is sent when it is not there; from then on nothing of it is unknown', async () => {
    const id = await subscribed(desk);
    desk.after = lost;
    await slot(desk, id, 0);
    desk.after = () => undefined;
    desk.collects = () => {
      throw new UsageError('The platform is away.');
    };
    expect(await again(desk, id, 0, 6)).toBe('failed');
    expect(await slot(desk, id, 15)).toBe('failed');
    desk.collects = () => undefined;
    expect(await slot(desk, id, 30)).toBe('posted');
  });

  it('is given up after twelve times', async () => {
    const id = await subscribed(desk);
    desk.before = lost;
    const ends = [await slot(desk, id, 0)];
    while (ends.length < 14 && ends.at(-1) === 'later') ends.push(await again(desk, id, 0, ends.length));
    expect(ends).toEqual([...Array(11).fill('later'), 'failed']);
  });

  it('that is late is looked for without waiting: nobody can be sending it', async () => {
    desk.found = '9';
    expect(await slot(desk, await subscribed(desk), 0, 6 * MINUTE)).toBe('posted');
    expect([desk.said, desk.waited.includes(SETTLING)]).toEqual([[], false]);
  });
});

describe('a claim', () => {
  it('is asked for again when the answer took five seconds', async () => {
    const { sending } = desk.services.ledger;
    let asked = 0;
    desk.services.ledger.sending = (claim) => {
      asked += 1;
      return sending(claim);
    };
    const times = [1e9, 1e9 + 5_000, 1e9 + 6_000, 1e9 + 10_999];
    desk.elapsed = () => times.shift() ?? expect.unreachable('the clock was asked too often');
    expect(await slot(desk, await subscribed(desk), 0)).toBe('posted');
    expect([asked, times]).toEqual([2, []]);
  });

  it('that another replica took over meanwhile sends nothing', async () => {
    const id = await subscribed(desk);
    desk.collects = async () => {
      expect(await desk.services.ledger.claim(id, at(0))).toBeDefined();
    };
    expect(await slot(desk, id, 0)).toBe('taken');
    expect(desk.said).toEqual([]);
    expect(desk.lines).toEqual([
      expect.objectContaining({ ...NAMED, level: 30, subscription: 1, channel: 'C1', slot: at(0).toISOString() }),
    ]);
  });

  it('is for one, and for a subscription that is there', async () => {
    const id = await subscribed(desk);
    expect([await slot(desk, id, 0), await again(desk, id, 0, 0)]).toEqual(['posted', 'taken']);
    await open(desk, id, 15);
    await desk.database.execute('DELETE FROM subscriptions');
    expect(await again(desk, id, 15, 15)).toBe('taken');
  });

  it('for who has unsubscribed meanwhile says nothing', async () => {
    const id = await subscribed(desk);
    await open(desk, id, 0);
    await desk.services.subscriptions.end(id);
    expect(await again(desk, id, 0, 0)).toBe('dropped');
    expect([desk.said, (await row(desk, 0)).state]).toEqual([[], 'dropped']);
  });
});
