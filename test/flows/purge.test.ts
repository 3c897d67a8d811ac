import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Card } from '../../playground/slack/people/card.ts';
import { quoted } from '../../src/operations/log/filters.ts';
import { byHand } from '../support/by-hand.ts';
import { ASKED, CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

const MINUTE = 60_000;

/** Over Socket Mode: the clock that is moved here would make every signature stale. */
describe('a purge', () => {
  let workspace: TestWorkspace;
  let ahead = 0;
  const ops = () => workspace.slack.person('ada').in('#ops');

  beforeAll(async () => {
    workspace = await startTestWorkspace({ now: () => new Date(Date.now() + ahead), socket: true });
    await workspace.slack.connected();
  });
  afterAll(() => workspace.close());
  beforeEach(() => ops().readAll());

  /** The message in the channel, once it is purged. */
  async function purged(line: string): Promise<Card> {
    await ops().type(`/edge ${line}`);
    const preview = await ops().expectMessage(ASKED);
    await preview.click(CONFIRM);
    const done = await ops().expectMessage(/@ada purged \S+ on [^\n]+ from the caches/);
    // Before that the clock must not move.
    await preview.expectGone();
    return done;
  }
  /** The answers in the thread of a message, after so much time and a start of another process. */
  async function saidAfter(milliseconds: number, { ts }: Card): Promise<string[]> {
    ahead += milliseconds;
    await workspace.restart();
    await workspace.slack.connected();
    await workspace.slack.idle();
    return ops()
      .messages.filter(({ thread }) => thread === ts)
      .map(({ text }) => text);
  }

  /** What is written down and not done. */
  async function underWay(): Promise<unknown> {
    const client = byHand(workspace.storeFile);
    const { rows } = await client.execute(
      "SELECT count(*) AS n FROM jobs WHERE kind NOT IN ('retention', 'after') AND body IS NOT NULL",
    );
    client.close();
    return rows[0]?.n;
  }

  it('is followed up in its thread some minutes later, once, whichever process lives then', async () => {
    const done = await purged('cache purge https://cdn.example.com/img/*');
    expect(await saidAfter(4 * MINUTE, done)).toEqual([]);
    ahead += 2 * MINUTE;
    await workspace.restart();
    const said = await ops().expectMessage(
      /Since the purge.*: (at least )?[\d,]+ MISS, (at least )?[\d,]+ HIT for \/img\//,
      {
        thread: done.ts,
      },
    );
    expect(said.text).toMatch(/\[See it in the log\]/);
    // A process that dies before that is written down says it once more.
    await expect.poll(underWay, { timeout: 5_000 }).toBe(0);
    expect(await saidAfter(60 * MINUTE, done)).toHaveLength(1);
    const read = workspace.platform.requests.filter(({ path }) => path.endsWith('/logs'));
    expect(read.length).toBeGreaterThan(0);
    expect(workspace.slack.problems).toEqual([]);
  });

  it('of a zone without logs says that nobody knows', async () => {
    const done = await purged('cache purge https://dl.example.com/a.zip');
    ahead += 6 * MINUTE;
    await workspace.restart();
    await ops().expectMessage(/I can’t tell whether the cache is filling again: logging is not switched on/, {
      thread: done.ts,
    });
  });

  it('is not followed up in the channel where its message is gone', async () => {
    const done = await purged('cache purge https://cdn.example.com/js/*');
    const { messages } = workspace.slack.workspace;
    messages.set(done.channel, messages.get(done.channel)?.filter(({ ts }) => ts !== done.ts) ?? []);
    ahead += 6 * MINUTE;
    await workspace.restart();
    const erased = () => workspace.slack.outgoing.filter(({ method }) => method === 'chat.delete');
    await expect.poll(erased, { timeout: 10_000 }).toHaveLength(1);
    await expect.poll(underWay, { timeout: 5_000 }).toBe(0);
    expect(ops().messages.filter(({ text, thread }) => thread === undefined && /Since the purge/.test(text))).toEqual(
      [],
    );
  });

  it('is not followed up for somebody who has lost the right to it', async () => {
    const done = await purged('cache purge https://img.example.com/logo.svg');
    const ada = workspace.slack.workspace.user('ada');
    ada.isDeleted = true;
    expect(await saidAfter(6 * MINUTE, done)).toEqual([]);
    await expect.poll(underWay, { timeout: 5_000 }).toBe(0);
    ada.isDeleted = false;
    expect(await saidAfter(MINUTE, done)).toEqual([]);
    expect(workspace.logged.join('\n')).toContain('what was kept for later could not be done');
  });

  it('of a tag says that others beside it count, and offers what purges those too', async () => {
    await ops().type('/edge cache purge tag:news --zone main-site');
    const alone = await ops().expectMessage(ASKED);
    expect(alone.text).toMatch(/This purges only files whose CDN-Tag header is exactly this tag/);
    await alone.click('Purge *news* instead');
    const several = await ops().expectMessage(/Purge tag:\*news\* on main-site/);
    expect(several.text).not.toMatch(/exactly this tag|instead/);
    await several.click(CONFIRM);
    await ops().expectMessage(/@ada purged tag:\*news\* on/);
    const sent = workspace.platform.requests.filter(({ path }) => path.endsWith('/purgeCache'));
    expect(sent.map(({ body }) => body)).toEqual([{ CacheTag: '*news*' }]);
    await alone.click('Cancel');
  });

  it.each([
    ['news,sports', 'Purge *news,sports* instead'],
    ['product-123', 'Purge *product-123* instead'],
    ['a"b', 'Purge *a"b* instead'],
    ["it's", "Purge *it's* instead"],
    ['UPPER:case', 'Purge *UPPER:case* instead'],
    ['news*', undefined],
    ['*news', undefined],
  ])('of the tag %s offers what is missing', async (tag, offered) => {
    await ops().type(`/edge cache purge ${quoted(`tag:${tag}`)} --zone main-site`);
    const preview = await ops().expectMessage(ASKED);
    expect(/\[(Purge [^\]]*)\]/.exec(preview.text)?.[1]).toBe(offered);
    if (offered !== undefined) {
      await preview.click(offered);
      await (await ops().expectMessage(/Purge tag:\*/)).click('Cancel');
    }
    await preview.click('Cancel');
  });

  it('is begun from a row of the log', async () => {
    await ops().type('/edge log search main-site --limit 5');
    const found = await ops().expectMessage(/\[Purge \//);
    const [, path] = /\[Purge (\S+)\]/.exec(found.text)!;
    await found.click(`Purge ${path}`);
    const preview = await ops().expectMessage(ASKED);
    // Its hostname may be any of the zone.
    expect(preview.text).toContain(path!);
    await preview.click('Cancel');
  });
});
