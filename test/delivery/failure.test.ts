import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runSlot } from '../../src/delivery/run.ts';
import { PlatformConnectionError, PlatformError } from '../../src/platform/errors.ts';
import { PostRefusedError } from '../../src/reports/post.ts';
import { again, at, type Desk, logged, NAMED, open, openDesk, row, SETTLING, slot, subscribed } from './desk.ts';

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.database.close());

describe('what goes wrong', () => {
  const where = { service: 'api', method: 'GET', path: '/' } as const;
  const status = (code: number) => new PlatformError('No', { ...where, status: code });

  it.each<[string, Error, 'later' | 'failed']>([
    ['no connection', new PlatformConnectionError('No', { ...where } as never), 'later'],
    ['Slack’s limit', new PostRefusedError('ratelimited', 'later'), 'later'],
    ['Slack’s no', new PostRefusedError('not_in_channel'), 'failed'],
    ['the platform’s limit', status(429), 'later'],
    ['a fault of the platform', status(500), 'later'],
    ['the platform’s no', status(403), 'failed'],
    ['anything else', new Error('No'), 'failed'],
  ])('by %s', async (_, error, end) => {
    desk.collects = () => {
      throw error;
    };
    expect(await slot(desk, await subscribed(desk), 0)).toBe(end);
    expect(desk.lines[0]).toMatchObject({
      ...NAMED,
      level: end === 'later' ? 40 : 50,
      subscription: 1,
      report: 'errors',
      channel: 'C1',
      err: { message: error.message },
    });
    expect(desk.said).toHaveLength(end === 'later' ? 0 : 1);
  });

  it('is tried three times more, after one, two and four minutes', async () => {
    const id = await subscribed(desk);
    desk.collects = () => {
      throw status(502);
    };
    const ends = [await slot(desk, id, 0)];
    for (const minute of [1, 3, 7]) {
      desk.now = new Date(at(minute).getTime() - 1);
      expect((await desk.services.ledger.next(id))?.delay).toBeGreaterThan(0);
      ends.push(await again(desk, id, 0, minute));
    }
    expect(ends).toEqual(['later', 'later', 'later', 'failed']);
    expect(await row(desk, 0)).toMatchObject({ state: 'failed' });
    expect((await desk.services.subscriptions.read(id))?.reason).toBe('502: No');
  });

  it('while the bot is stopped needs no look into the channel when Slack said no', async () => {
    const id = await subscribed(desk);
    const stop = new AbortController();
    desk.before = () => {
      stop.abort(new Error('stopping'));
      throw new PostRefusedError('ratelimited', 'later');
    };
    await open(desk, id, 0);
    expect(await runSlot(desk.services, id, at(0), stop.signal)).toBe('later');
    desk.before = () => undefined;
    expect(await again(desk, id, 0, 1)).toBe('posted');
    expect([desk.looked, desk.waited.includes(SETTLING)]).toEqual([0, false]);
  });

  it('is said with Slack’s reason, and that it is tried again', async () => {
    desk.before = () => {
      throw new PostRefusedError('not_in_channel', 'no', 'I am no member: invite me with `/invite`');
    };
    await slot(desk, await subscribed(desk), 0);
    expect(desk.said[0]).toMatchObject({
      how: 'tell U1',
      text: expect.stringMatching(/I am no member: invite me with \/invite[\s\S]*keep trying on schedule/),
    });
    expect(logged(desk, 50)[0]).toMatchObject({ reference: 'not_in_channel' });
  });

  it('ends the subscription when its channel is gone, with a word to its owner, and is not tried again', async () => {
    desk.before = () => {
      throw new PostRefusedError('is_archived', 'channel gone', 'the channel is archived: unarchive it');
    };
    const id = await subscribed(desk);
    expect(await slot(desk, id, 0)).toBe('failed');
    expect(desk.said).toEqual([
      expect.objectContaining({
        how: 'tell U1',
        text: expect.stringMatching(/has ended: the channel is archived: unarchive it\.[\s\S]*report subscribe/),
      }),
    ]);
    expect(await desk.services.subscriptions.read(id)).toMatchObject({ state: 'ended' });
    expect(await desk.services.subscriptions.list()).toEqual([]);
  });

  it.each([
    ['an admin', ['UADMIN'], ['tell U9', 'tell UADMIN']],
    ['nobody, where the admins have left too', ['U8'], ['tell U9', 'tell U8']],
    ['nobody, where there is no admin', [], ['tell U9']],
  ])('is said to %s when the owner has left', async (_, admins, told) => {
    desk.services.policy = { admins };
    desk.before = () => {
      throw new PostRefusedError('not_in_channel', 'no', 'I am no member');
    };
    await slot(desk, await subscribed(desk, { owner: 'U9' }), 0);
    expect(desk.said.map(({ how }) => how)).toEqual(told);
    expect(logged(desk, 50).some(({ said }) => String(said).includes('is not working'))).toBe(
      told.at(-1) !== 'tell UADMIN',
    );
  });

  it('is said in the channel when nobody is known who subscribed', async () => {
    desk.collects = () => {
      throw status(403);
    };
    await slot(desk, await subscribed(desk, { owner: '' }), 0);
    expect(desk.said).toEqual([expect.objectContaining({ how: 'post C1', key: '1:broken' })]);
  });

  it('is said the next time when it could not be said', async () => {
    const id = await subscribed(desk, { owner: 'U0' });
    desk.collects = () => {
      throw status(403);
    };
    for (const minute of [0, 15]) expect(await slot(desk, id, minute)).toBe('failed');
    expect(desk.said.map(({ how }) => how)).toEqual(['tell U0', 'tell U0']);
    expect(logged(desk, 40)[0]).toMatchObject({ ...NAMED, subscription: id, err: { message: 'no such person' } });
  });

  it('with a report that this version does not have is said too', async () => {
    expect(await slot(desk, await subscribed(desk, { report: 'gone' }), 0)).toBe('failed');
    expect(logged(desk, 50)[0]).toMatchObject({ err: { message: expect.stringContaining('gone') } });
    expect(desk.said).toHaveLength(1);
  });

  it('with the store is in the log, and only what was broken is written down as working again', async () => {
    let works = 0;
    const { works: written } = desk.services.subscriptions;
    desk.services.subscriptions.works = (id) => {
      works += 1;
      return written(id);
    };
    const id = await subscribed(desk);
    await slot(desk, id, 0);
    expect(works).toBe(0);
    await desk.services.subscriptions.fail(id, 'for once');
    await slot(desk, id, 15);
    expect(works).toBe(1);
    desk.services.ledger.claim = () => Promise.reject(new Error('no store'));
    expect(await slot(desk, id, 30)).toBe('later');
    expect(logged(desk, 50)[0]).toMatchObject({
      ...NAMED,
      subscription: id,
      slot: at(30).toISOString(),
      err: { message: 'no store' },
    });
  });
});
