import { describe, expect, it } from 'vitest';
import { message } from '../../src/blocks/message.ts';
import { createHomeTabs, KEPT_FOR } from '../../src/slack/home/watch.ts';

const ADA = { userId: 'U0ADA000001', teamId: 'T0SHOP00001' };
const BEN = { userId: 'U0BEN000002', teamId: 'T0SHOP00001' };
const blocksOf = (text: string) => message(text).blocks;

describe('the Home tabs that people look at', () => {
  it('are published again where something has changed, and only there', async () => {
    const tabs = createHomeTabs();
    tabs.opened(ADA, blocksOf('calm'), 0);
    tabs.opened(BEN, blocksOf('calm'), 0);
    const published: string[] = [];
    const shown = { [ADA.userId]: 'calm', [BEN.userId]: 'calm' };
    const refresh = (now: number) =>
      tabs.refresh(
        async ({ userId }) => blocksOf(shown[userId]!),
        async ({ userId }) => void published.push(userId),
        now,
      );
    await refresh(60_000);
    expect(published).toEqual([]);
    shown[BEN.userId] = 'one change waits for you';
    await refresh(120_000);
    await refresh(180_000);
    expect(published).toEqual([BEN.userId]);
  });

  it('are left alone a quarter of an hour after they were opened', async () => {
    const tabs = createHomeTabs();
    tabs.opened(ADA, blocksOf('calm'), 0);
    const published: string[] = [];
    const refresh = (text: string, now: number) =>
      tabs.refresh(
        async () => blocksOf(text),
        async ({ userId }) => void published.push(`${userId} ${text}`),
        now,
      );
    await refresh('trouble', KEPT_FOR - 1);
    await refresh('more trouble', KEPT_FOR);
    expect(published).toEqual([`${ADA.userId} trouble`]);
  });

  it('are not kept from being published by one that fails, which is left from then on', async () => {
    const tabs = createHomeTabs();
    tabs.opened(ADA, blocksOf('calm'), 0);
    tabs.opened(BEN, blocksOf('calm'), 0);
    const published: string[] = [];
    const refresh = () =>
      tabs.refresh(
        async ({ userId }) => {
          if (userId === ADA.userId) throw new Error('she has left');
          return blocksOf('trouble');
        },
        async ({ userId }) => void published.push(userId),
        60_000,
      );
    await expect(refresh()).rejects.toThrow('she has left');
    await refresh();
    expect(published).toEqual([BEN.userId]);
  });

  it('are two hundred at the most: those that were opened last', async () => {
    const tabs = createHomeTabs();
    for (let count = 0; count < 201; count += 1)
      tabs.opened({ userId: `U${count}`, teamId: 'T1' }, blocksOf('calm'), count);
    const made: string[] = [];
    await tabs.refresh(
      async ({ userId }) => {
        made.push(userId);
        return blocksOf('calm');
      },
      async () => undefined,
      1_000,
    );
    expect(made).toHaveLength(200);
    expect(made).not.toContain('U0');
  });
});
