import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ASKED, CONFIRM, confirmed, isTrial, repeatedWrites } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

/** Each write, for the how-manieth fault; and where its request goes. */
const writes: Record<string, { line: (turn: number) => string; at: string; shows: boolean }> = {
  'ssl force': {
    line: (turn) => `ssl force ${['dl', 'cdn', 'shop', 'checkout', 'docs', 'staging', 'preview'][turn]}.example.com on`,
    at: 'POST setForceSSL',
    shows: true,
  },
  'bot set': {
    line: (turn) => `bot set shop ${turn + 1} ${turn === 0 ? 'block' : 'allow'}`,
    at: 'PUT categories/',
    shows: true,
  },
  'variable add': { line: (turn) => `variable add geo-redirect TURN_${turn} x`, at: 'POST variables/add', shows: true },
  'certificate request': {
    line: (turn) =>
      `certificate request ${['cdn', 'www', 'shop', 'checkout', 'img', 'api', 'docs', 'video', 'dl', 'staging', 'preview'][turn]}.example.com`,
    at: 'POST requestExternalDnsCertificate',
    shows: false,
  },
  'app delete': {
    line: (turn) =>
      `app delete ${['mailer', 'webhooks', 'cart-api', 'demo', 'load-tests', 'pdf-renderer', 'price-sync', 'chat-widget', 'geo-lookup', 'staging-web'][turn]}`,
    at: 'DELETE /mc/apps',
    shows: false,
  },
  'database execute': {
    line: (turn) => `database execute shop CREATE TABLE turn_${turn} (id)`,
    at: 'POST /v2/pipeline',
    shows: false,
  },
  'token create': { line: () => 'token create shop --read-only', at: 'PUT auth/generate', shows: false },
  'token invalidate': { line: () => 'token invalidate events', at: 'POST auth/revoke', shows: false },
};

/** What goes wrong, and what the person reads then; `unknown` where the platform may have done it. */
const faults: { fault: string; reads: RegExp; unknown?: 'applied' | 'not applied' }[] = [
  { fault: 'drop-before', reads: /did not answer|was lost/, unknown: 'not applied' },
  { fault: 'drop-after', reads: /did not answer|was lost/, unknown: 'applied' },
  { fault: 'status=500', reads: /500|fault/, unknown: 'not applied' },
  { fault: 'status=503', reads: /503|fault/, unknown: 'not applied' },
  { fault: 'status=429', reads: /429|fault/ },
  { fault: 'html=502', reads: /502/, unknown: 'not applied' },
  { fault: 'status=400', reads: /400/ },
];

describe('when the answer to a change is lost or is no', () => {
  let workspace: TestWorkspace;

  beforeAll(async () => {
    workspace = await startTestWorkspace({ platform: { faults: ['deletion=1'] } });
  });
  afterAll(() => workspace.close());
  afterEach(() => {
    workspace.platform.clearFaults();
    workspace.platform.fault('deletion=1');
    workspace.platform.requests.splice(0);
  });

  for (const [name, { line, at, shows }] of Object.entries(writes)) {
    for (const [turn, { fault, reads, unknown }] of faults.entries()) {
      it(`sends ${name} once with ${fault}, and says what is known`, async () => {
        const { platform, slack } = workspace;
        platform.fault(`${fault}@${at}`);
        const { text } = await confirmed(workspace, line(turn));
        expect(text).toMatch(reads);
        if (unknown === undefined) expect(text).toMatch(/nothing was changed/i);
        else if (!shows) {
          expect(text).toMatch(/does not show whether it took effect|There is no application/);
          // What comes after it says where to look: it is not said twice.
          expect(text).not.toMatch(/Check there/);
        } else if (unknown === 'applied') expect(text).toMatch(/took effect|now shows/);
        else expect(text).toMatch(/probably did not take effect/);
        expect(repeatedWrites(workspace)).toEqual([]);
        const [method, part = ''] = at.split(' ');
        const sent = platform.requests.filter((one) => one.method === method && one.path.includes(part));
        expect(sent.filter((one) => !isTrial(one))).toHaveLength(1);
        expect(slack.problems).toEqual([]);
      });
    }
  }

  it('counts an empty yes as done', async () => {
    const { platform, slack } = workspace;
    platform.fault('empty@PUT categories');
    await confirmed(workspace, 'bot set api preview block');
    await slack
      .person('ben')
      .in('#ops')
      .expectMessage(/set .*Preview.* bots on api/);
    expect(repeatedWrites(workspace)).toEqual([]);
  });

  it.each([
    ['truncated', 'social', /is incomplete[\s\S]*it took effect/],
    ['cut', 'ads', /was lost[\s\S]*it took effect/],
    ['html', 'aitool', /web page, not the API[\s\S]*probably did not take effect/],
  ])('looks what became of a change whose yes is %s', async (fault, category, words) => {
    const { platform } = workspace;
    platform.fault(`${fault}@PUT categories`);
    const { text } = await confirmed(workspace, `bot set api ${category} block`);
    expect(text).toMatch(/Outcome unknown/);
    expect(text).toMatch(words);
    expect(repeatedWrites(workspace)).toEqual([]);
  });

  it.each(['drop-after', 'status=500'])(
    'knows that a statement was not sent, when its token meets %s',
    async (fault) => {
      const { platform, slack } = workspace;
      const ada = slack.person('ada');
      await ada.in('#releases').type('/edge database execute shop CREATE TABLE never (id)');
      const form = await ada.expectModal('Database execute');
      await form.expectChange(/Type the name/);
      await form.fill({ 'Type the name to confirm': 'shop' });
      platform.fault(`${fault}@PUT auth/generate`);
      await form.submit();
      const told = await ada
        .in('#releases')
        .expectMessage(/no token could be made for the statement[\s\S]*nothing was changed/);
      expect(told.text).not.toMatch(/not known|does not show/);
      expect(platform.requests.filter((one) => one.path.includes('/v2/pipeline') && !isTrial(one))).toEqual([]);
    },
  );

  it('says that a token exists that nobody saw, when the view for it was closed', async () => {
    const { platform, slack } = workspace;
    const ada = slack.person('ada');
    const ops = ada.in('#releases');
    platform.fault('slow=200@PUT auth/generate');
    await ops.type('/edge token create shop');
    const preview = await ops.expectMessage(ASKED);
    await preview.click(CONFIRM);
    await (await ada.expectModal('Token create')).close();
    const told = await ops.expectMessage(
      /It was created, but I couldn’t show it to you: the window was closed[\s\S]*I keep no copy/,
    );
    expect(told.text).toMatch(/stays valid until you invalidate all tokens/);
    const token = platform.secrets().at(-1) ?? '';
    const others = slack.outgoing.filter(({ method }) => method !== 'views.update');
    expect(JSON.stringify(others)).not.toContain(token);
    expect(repeatedWrites(workspace)).toEqual([]);
  });

  it('answers in the conversation, whose form is closed before the end', async () => {
    const { platform, slack } = workspace;
    const ada = slack.person('ada');
    platform.fault('slow=200@DELETE /mc/apps');
    await ada.in('#releases').type('/edge app delete translations');
    const form = await ada.expectModal('App delete');
    await form.expectChange(/Type the name/);
    await form.fill({ 'Type the name to confirm': 'translations' });
    await form.submit();
    await ada.in('#releases').expectMessage(/@ada marked the application [\s\S]*translations/);
    expect(repeatedWrites(workspace)).toEqual([]);
  });
});
