import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CONFIRM } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

describe('the ways in', () => {
  let workspace: TestWorkspace;
  const ada = () => workspace.slack.person('ada');
  const ops = () => ada().in('#ops');
  const direct = () => ada().in('@edgewise');

  beforeAll(async () => {
    workspace = await startTestWorkspace();
  });
  afterAll(() => workspace.close());
  afterEach(() => expect(workspace.slack.problems).toEqual([]));

  const unchanged = () => expect(workspace.platform.writes()).toEqual([]);

  describe('a mention', () => {
    it('undoes Slack’s links', async () => {
      await ops().type('@edgewise ssl force dl.example.com on');
      expect(workspace.slack.deliveries.at(-1)?.body).toContain('<http://dl.example.com|dl.example.com>');
      const preview = await ops().expectMessage(/dl\.example\.com on downloads[\s\S]*Force HTTPS: off → on/);
      expect(preview.ephemeral).toBe(true);
      unchanged();
    });

    it('understands smart quotes and long dashes', async () => {
      await ops().type('@edgewise variable add “geo-redirect” GREETING ‘hello & <you>’ —required');
      const preview = await ops().expectMessage(/GREETING of geo-redirect/);
      expect(preview.text).toMatch(/hello & <you>/);
      expect(preview.text).toMatch(/Required: .*on/);
      unchanged();
    });

    it('answers in the thread it was made in', async () => {
      const root = await ops().type('what are our zones?');
      await ops().type('@edgewise zone list', { thread: root });
      const answer = await ops().expectMessage(/main-site/, { thread: root });
      expect(answer.ephemeral).toBe(true);
      await answer.click('Share');
      expect((await ops().expectMessage(/Shared by/, { thread: root })).ephemeral).toBe(false);
      await ops().type('@edgewise help with that', { thread: root });
      await ops().expectMessage(/There is no command “with that”/, { thread: root });
    });

    it('runs once, however often it is edited; one that was none before is to be sent anew', async () => {
      const mention = await ops().type('@edgewise zone list');
      await ops().expectMessage(/main-site/);
      await ops().edit(mention, '@edgewise zone list --search main');
      await ops().expectNothing();
      const talk = await ops().type('zone list, please');
      await ops().edit(talk, '@edgewise zone list');
      await ops().expectMessage(/An edited message runs nothing/);
      const line = await direct().type('zone list');
      await direct().expectMessage(/main-site/);
      await direct().edit(line, 'zone show main-site');
      await direct().expectNothing();
    });

    it('offers a button for what is missing, which opens the form with what was typed', async () => {
      await ops().type('@edgewise ssl force dl.example.com');
      const told = await ops().expectMessage(/ssl force needs more: State\./);
      await told.click('Fill in');
      const form = await ada().expectModal('Force HTTPS', { ready: true });
      expect(form.value('Hostname')).toBe('dl.example.com');
      await form.fill({ State: 'on' });
      await form.submit();
      await form.expectChange(/Force HTTPS: off → on/);
      expect(form.submitLabel).toBe('Switch on');
      await form.close();
      unchanged();
    });

    it('asks for the name to be typed in a form, which a button brings', async () => {
      await ops().type('@edgewise app delete mailer');
      const told = await ops().expectMessage(/Delete the application mailer/);
      expect(told.buttons).toEqual(['Continue …']);
      await told.click('Continue …');
      const form = await ada().expectModal('App delete');
      await form.expectChange(/Type the name to confirm/);
      await form.close();
      unchanged();
    });

    it('tells what was done in the thread where it was asked for', async () => {
      const root = await ops().type('shall we?');
      await ops().type('yes, @edgewise `ssl force dl.example.com on`', { thread: root });
      await (await ops().expectMessage(/Force HTTPS: off → on/, { thread: root })).click(CONFIRM);
      const outcome = await ops().expectMessage(/switched force HTTPS .*on for/, { thread: root });
      expect(outcome.ephemeral).toBe(false);
      await outcome.click('Undo', { confirm: true });
      await ops().expectMessage(/switched force HTTPS .*off for[\s\S]*undone/, { thread: root });
      workspace.platform.requests.splice(0);
    });

    it('helps when nothing or nonsense is said', async () => {
      await ops().type('@edgewise');
      await ops().expectMessage(/Edgewise operates your edge platform/);
      await ops().type('@edgewise please force ssl');
      await ops().expectMessage(/ssl force needs more: Hostname[\s\S]*\[Fill in/);
    });
  });

  describe('a direct message', () => {
    it('takes commands without a mention', async () => {
      const direct = ada().in('@edgewise');
      await direct.type('zone show docs.example.com');
      const answer = await direct.expectMessage(/docs[\s\S]*308005/);
      expect(answer.text).toMatch(/docs\.example\.com/);
      await direct.type('ssl force dl.example.com on');
      await direct.expectMessage(/Force HTTPS: off → on/);
      unchanged();
    });

    it.each(['USLACKBOT', 'USLACK'])('from Slack itself (%s) is not answered', async (user) => {
      const { slack, logged } = workspace;
      const channel = slack.workspace.directMessage(ada().id).id;
      slack.outgoing.splice(0);
      logged.splice(0);
      const event = { type: 'message', channel_type: 'im', channel, user, text: 'zone list', ts: '1771460800.4' };
      const body = { type: 'event_callback', team_id: slack.workspace.team.id, event_id: `Ev${user}`, event };
      expect((await slack.signedRequest(JSON.stringify(body))).status).toBe(200);
      await direct().type('zone list');
      await direct().expectMessage(/main-site/);
      const posts = slack.outgoing.filter(({ method, error }) => method.startsWith('chat.') && error === undefined);
      expect(posts).toHaveLength(1);
      expect(logged.filter((line) => JSON.parse(line).level >= 40)).toEqual([]);
    });

    it('takes slash commands, and says there what was done', async () => {
      const direct = ada().in('@edgewise');
      await direct.type('/edge ssl force img.example.com off');
      const preview = await direct.expectMessage(/Force HTTPS: on → off/);
      await preview.click(CONFIRM);
      await preview.expectGone();
      await direct.expectMessage(/switched force HTTPS .*off for img\.example\.com/);
      expect(workspace.platform.writes()).toHaveLength(1);
      workspace.platform.requests.splice(0);
    });
  });

  describe('a form', () => {
    it('opens for a slash command with a missing argument, with what was typed', async () => {
      await ops().type('/edge bot set shop');
      const form = await ada().expectModal('Bot set', { ready: true });
      expect(form.value('Zone')).toBe('shop');
      expect(form.fields).toEqual(['Zone', 'Category', 'Action', 'For how long', 'When', 'Watch it']);
      await form.fill({ Category: 'SEO (1)', Action: 'Block' });
      await form.submit();
      await form.expectChange(/SEO bots on shop[\s\S]*Action: \w+ → Block/);
      await form.close();
      unchanged();
    });

    it('puts what is wrong at the field', async () => {
      await ops().type('/edge token create');
      const form = await ada().expectModal('Token create', { ready: true });
      await form.fill({ Database: 'shop', Expiry: 'someday' });
      await form.submit();
      expect(form.errors).toEqual({ Expiry: expect.stringContaining('“someday” is not an expiry.') });
      expect(form.isOpen).toBe(true);
      await form.fill({ Expiry: '2020-01-01' });
      await form.submit();
      expect(form.errors).toEqual({ Expiry: expect.stringContaining('is in the past') });
      await form.fill({ Expiry: '30d' });
      await form.submit();
      await form.expectChange(/Existing tokens for shop/);
      await form.close();
      unchanged();
    });

    it('says on top what only the platform could know, and keeps what was typed', async () => {
      await ops().type('/edge ssl force');
      const form = await ada().expectModal('Force HTTPS', { ready: true });
      await form.fill({ Hostname: 'nowhere.example.com', State: 'on' });
      await form.submit();
      await form.expectChange(/nowhere\.example\.com/);
      expect(form.text).toMatch(/There is no hostname|no pull zone/i);
      expect(form.value('Hostname')).toBe('nowhere.example.com');
      await form.close();
      unchanged();
    });

    it('is offered after a usage error, with what was typed', async () => {
      await ops().type('/edge ssl force cdn.example.com maybe');
      const told = await ops().expectMessage(/State must be one of on, off, not “maybe”/);
      await told.click('Open the form');
      const form = await ada().expectModal('Force HTTPS', { ready: true });
      expect(form.value('Hostname')).toBe('cdn.example.com');
      expect(form.value('State')).toBe(null);
      await form.close();
      unchanged();
    });

    it('goes the whole way to the change', async () => {
      await ops().type('/edge variable add');
      const form = await ada().expectModal('Variable add', { ready: true });
      await form.fill({ Script: 'geo-redirect', Name: 'FROM_A_FORM', 'Default value': ' two  words ', Required: true });
      await form.submit();
      await form.expectChange(/FROM_A_FORM of geo-redirect/);
      await form.submit();
      await form.expectClosed();
      await ops().expectMessage(/added the variable FROM_A_FORM/);
      expect(workspace.platform.writes()).toMatchObject([
        { body: { Name: 'FROM_A_FORM', Required: true, DefaultValue: ' two  words ' } },
      ]);
      await form.close();
      workspace.platform.requests.splice(0);
    });

    it('cancels the change when it is closed', async () => {
      await ops().type('/edge app delete webhooks');
      const form = await ada().expectModal('App delete');
      await form.expectChange(/Type the name/);
      await form.close();
      await workspace.slack.idle();
      await ops().type('/edge audit list --command "app delete" --limit 1');
      await ops().expectMessage(/cancelled app delete on webhooks/);
      unchanged();
    });
  });

  describe('the Home tab', () => {
    it('runs what is pressed there', async () => {
      await ada().openHome();
      const home = await ada().expectHome(/Edgewise operates/);
      await home.click('script list');
      await ada()
        .in('@edgewise')
        .expectMessage(/geo-redirect/);
      await home.click('ssl force');
      const form = await ada().expectModal('Force HTTPS', { ready: true });
      await form.close();
      unchanged();
    });
  });

  describe('sharing', () => {
    it('shows an answer to everybody, with who shared it', async () => {
      await ops().type('/edge zone show main-site');
      const answer = await ops().expectMessage(/www\.example\.com/);
      await answer.click('Share');
      const shared = await workspace.slack
        .person('ben')
        .in('#ops')
        .expectMessage(/Shared by @ada/);
      expect(shared.text).toMatch(/cdn\.example\.com/);
      expect(shared.buttons).not.toContain('Share');
    });

    it('sends it directly where the bot is not a member, and says how to invite it', async () => {
      const random = ada().in('#random');
      await random.type('/edge zone show docs');
      const answer = await random.expectMessage(/docs\.example\.com/);
      await answer.click('Share');
      await random.expectMessage(/I may not post in that channel[\s\S]*\/invite/);
      await ada()
        .in('@edgewise')
        .expectMessage(/docs\.example\.com[\s\S]*Shared by @ada/);
    });

    it('tells what was done directly where the bot is not a member', async () => {
      const random = ada().in('#random');
      await random.type('/edge bot set docs ads allow');
      const preview = await random.expectMessage(/Action: None → Allow/);
      await preview.click('Cancel');
      await preview.expectChange(/Cancelled: [\s\S]*Nothing was done\./);
      await random.type('/edge ssl force video.example.com off');
      const second = await random.expectMessage(/Force HTTPS: on → off/);
      await second.click(CONFIRM);
      await second.expectChange(/I am not in that channel/);
      await ada()
        .in('@edgewise')
        .expectMessage(/switched force HTTPS .*off for video\.example\.com/);
    });
  });
});
