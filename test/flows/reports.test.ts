import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

/** Over Socket Mode: the clock that is moved here would make every signature stale. */
describe('reports that come by themselves', () => {
  let workspace: TestWorkspace;
  /** Slack's own limits go by the clock, so it moves on from wherever it is put. */
  let since = performance.now();
  let start = Date.parse('2026-11-20T07:30:00Z');
  const now = () => new Date(start + (performance.now() - since));
  const at = (moment: string) => {
    start = Date.parse(moment);
    since = performance.now();
  };
  const ops = () => workspace.slack.person('ada').in('#ops');
  const posts = () =>
    workspace.slack.outgoing.filter(
      ({ method, error, body }) =>
        method === 'chat.postMessage' && error === undefined && !JSON.stringify(body).includes('"thread_ts"'),
    );

  async function confirmed(line: string, preview: RegExp): Promise<string> {
    await ops().type(`/edge ${line}`);
    const card = await ops().expectMessage(preview);
    expect(card.ephemeral).toBe(true);
    await card.click(CONFIRM);
    await card.expectGone();
    return card.text;
  }

  beforeAll(async () => {
    workspace = await startTestWorkspace({ now, socket: true });
    await workspace.slack.connected();
  });
  afterAll(() => workspace.close());

  it('are subscribed to with a preview of the next five runs, on the reader’s clock and on that of the report', async () => {
    const ben = workspace.slack.person('ben');
    await ops().type('/edge report subscribe daily-statistics "weekdays at 9:00" --timezone America/New_York');
    const card = await ops().expectMessage(/Next runs: /);
    expect(card.text).toMatch(
      /Time zone: America\/New_York[\s\S]*Next runs: 2026-11-20 14:00 UTC, 2026-11-23 14:00 UTC/,
    );
    expect(card.text).toMatch(/In America\/New_York: Nov 20, 2026, 9:00 AM EST; Nov 23, 2026, 9:00 AM EST; /);
    await card.click(CONFIRM);
    await ben
      .in('#ops')
      .expectMessage(/subscribed #ops to daily-statistics\nIt is scheduled: `?weekdays at 9:00`?, America\/New_York/);
    await ops().type('/edge report list');
    await ops().expectMessage(/daily-statistics in #ops \(1\)\n`?weekdays at 9:00`?, America\/New_York · next /);
  });

  it('come at their time, once, and not before', async () => {
    at('2026-11-20T13:59:30Z');
    await workspace.app.tick();
    const before = posts().length;
    at('2026-11-20T14:00:01Z');
    await Promise.all([workspace.app.tick(), workspace.app.tick()]);
    await workspace.app.tick();
    await ops().expectMessage(/Thu, Nov 19, 2026: /);
    expect(posts().length - before).toBe(1);
  });

  it('of which the answer was lost are recognised by the message’s metadata', async () => {
    const [post] = posts().slice(-1);
    expect(post?.body).toMatchObject({
      metadata: { event_type: 'edgewise_report', event_payload: { slot: '1:2026-11-20T14:00:00.000Z' } },
    });
  });

  it('are caught up after the bot was away, and say that they are late', async () => {
    at('2026-11-23T17:30:00Z');
    await workspace.restart();
    await workspace.slack.connected();
    await workspace.app.tick();
    const late = await ops().expectMessage(/Sun, Nov 22, 2026: /);
    expect(late.text).toMatch(/Late: this was due Nov 23, 2026, 9:00 AM EST/);
  });

  it('are muted for everybody to see, and end to be by themselves', async () => {
    await confirmed('report mute 1 1d', /muted for 1 day/);
    await workspace.slack
      .person('ben')
      .in('#ops')
      .expectMessage(/@ada muted daily-statistics in #ops \(subscription 1\) for 1 day/);
    await ops().type('/edge report list');
    await ops().expectMessage(/daily-statistics[\s\S]*muted by ada until Nov 24/i);
    const before = posts().length;
    at('2026-11-24T14:00:01Z');
    await workspace.app.tick();
    expect(posts().length).toBe(before);
    at('2026-11-25T14:00:01Z');
    await workspace.app.tick();
    await ops().expectMessage(/Tue, Nov 24, 2026: /);
  });

  it('speak again when somebody unmutes them, and there is nothing to unmute then', async () => {
    await confirmed('report mute 1 1d', /muted for 1 day/);
    await confirmed('report unmute 1', /Unmute daily-statistics/);
    await workspace.slack
      .person('ben')
      .in('#ops')
      .expectMessage(/@ada unmuted daily-statistics in #ops/);
    await ops().type('/edge report unmute 1');
    await ops().expectMessage(/State is already on for `?daily-statistics/);
  });

  it('tell of no incident that could be dismissed, and have nothing dismissed to tell again', async () => {
    await ops().type('/edge report dismiss 1');
    await ops().expectMessage(/This subscription has no open incident/);
    await ops().type('/edge report undismiss 1');
    await ops().expectMessage(/State is already on for `?daily-statistics/);
  });

  it('are shown on request, to one person or to the channel', async () => {
    await ops().type('/edge report run daily-statistics');
    const mine = await ops().expectMessage(/, 2026: /);
    expect(mine.ephemeral).toBe(true);
    await ops().type('/edge report run 1 --to channel');
    const everybody = await ops().expectMessage(/, 2026: [\s\S]*Asked for by @ada/);
    expect(everybody.ephemeral).toBe(false);
    const answer = await ops().expectMessage(/The report is in the channel/);
    expect([mine.buttons.includes('Share'), answer.buttons.includes('Share')]).toEqual([true, false]);
  });

  it('that cannot be posted are marked as broken, once for their owner, and stop no others', async () => {
    await confirmed(
      'report subscribe daily-statistics "daily at 16:00" --channel #random',
      /I am not a member of #random/,
    );
    await confirmed('report subscribe daily-statistics "daily at 16:00" --channel #releases', /#releases/);
    const ada = workspace.slack.person('ada').in('@edgewise');
    for (const day of ['2026-11-25', '2026-11-26']) {
      at(`${day}T15:00:01Z`);
      await workspace.app.tick();
    }
    await ada.expectMessage(/daily-statistics for .*\(subscription 2\) is not working[\s\S]*I am not a member/);
    expect(ada.messages.filter(({ text }) => text.includes('is not working'))).toHaveLength(1);
    const releases = workspace.slack.person('ada').in('#releases');
    expect(releases.messages.filter(({ text }) => text.includes(', 2026: '))).toHaveLength(2);
    await ops().type('/edge report list');
    await ops().expectMessage(/#random \(2\)\n.*broken: I am not a member/);
  });

  it('are listed on the Home tab', async () => {
    const ada = workspace.slack.person('ada');
    await ada.openHome();
    const home = await ada.expectHome(/Subscriptions/);
    expect(home.text).toMatch(/daily-statistics[\s\S]*#releases/);
  });

  it('are subscribed to through the form as well', async () => {
    const ada = workspace.slack.person('ada');
    await ops().type('/edge report subscribe');
    const form = await ada.expectModal('Report subscribe', { ready: true });
    await form.fill({ Report: 'daily-statistics', Schedule: 'every other day' });
    await form.submit();
    expect(form.errors).toEqual({ Schedule: expect.stringMatching(/not a schedule I understand/) });
    await form.fill({ Schedule: 'mondays at 9:00' });
    await form.submit();
    await form.expectChange(/Next runs: /);
    await form.submit();
    await workspace.slack
      .person('ben')
      .in('#ops')
      .expectMessage(/subscribed #ops to daily-statistics\nIt is scheduled: `?mondays at 9:00`?, Europe\/Berlin/);
    await form.close();
  });

  it('end when somebody unsubscribes', async () => {
    await confirmed('report unsubscribe 1', /^End the subscription daily-statistics in #ops \(subscription 1\)/);
    const before = workspace.slack.person('ada').in('#ops').messages.length;
    at('2026-11-27T14:00:01Z');
    await workspace.app.tick();
    expect(workspace.slack.person('ada').in('#ops').messages.length).toBe(before);
    await ops().type('/edge report run 1');
    await ops().expectMessage(/There is no subscription 1/);
    expect(workspace.slack.problems).toEqual([]);
  });

  it('do not come while the app’s token is revoked, and go on by themselves with a new one', async () => {
    const before = posts().length;
    const end = workspace.slack.fault('any=token_revoked');
    at('2026-11-27T15:00:01Z');
    await workspace.app.tick();
    end();
    expect(posts().length).toBe(before);
    await ops().type('/edge report list');
    await ops().expectMessage(/#releases \(3\)\n.*broken: the bot’s Slack token was revoked/);
    at('2026-11-28T15:00:01Z');
    await workspace.app.tick();
    await workspace.slack
      .person('ada')
      .in('#releases')
      .expectMessage(/Fri, Nov 27, 2026: /);
  });
});
