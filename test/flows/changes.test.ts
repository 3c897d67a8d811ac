import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ASKED, confirmed } from '../support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

describe('what was changed', () => {
  let workspace: TestWorkspace;
  const ops = (person = 'ada') => workspace.slack.person(person).in('#ops');

  beforeAll(async () => {
    workspace = await startTestWorkspace();
    await confirmed(workspace, 'ssl force shop.example.com on');
    for (const _ of ['force HTTPS', 'the origin and a key']) workspace.platform.byHand();
    workspace.platform.release();
  });
  afterAll(() => workspace.close());

  async function shown(what = /Changes on/) {
    const card = await ops().expectMessage(what);
    return { card, text: card.text, buttons: card.buttons };
  }

  it('is listed in sentences, with a way back where there is one', async () => {
    await ops().type('/edge changes list shop');
    const shown = await ops().expectMessage(/Changes on/);
    expect(shown.text).toMatch(/ada switched force HTTPS off → on for shop\.example\.com on shop \(308002\)/);
    expect(shown.buttons).toContain('Undo');
  });

  it('is listed for one zone and one time', async () => {
    await ops().type('/edge changes list video --since 2h');
    await ops().expectMessage(/Nothing was changed on video \(\d+\) since/);
  });

  it('elsewhere is in the same list, once, in the words of the command that would do it, with a way back', async () => {
    await ops().type('/edge changes list shop --since 1h');
    const { text, buttons, card } = await shown();
    expect(text).toMatch(
      /Somebody else \(User 52317\) switched force HTTPS (?:on → off|off → on) for [a-z.]+ on shop \(308002\)/,
    );
    expect(text.match(/switched force HTTPS/g)).toHaveLength(2);
    expect(buttons).toContain('Put back');
    await card.click('Put back');
    expect((await ops().expectMessage(ASKED)).text).toMatch(/Switch force HTTPS (?:on|off) for [a-z.]+ on shop/);
  });

  it('elsewhere keeps its way back if the same was changed again since', async () => {
    await confirmed(workspace, 'ssl force shop.example.com on');
    await ops().type('/edge changes list shop --since 1h');
    const { text, buttons } = await shown();
    expect(text.match(/switched force HTTPS/g)).toHaveLength(3);
    expect(buttons).toContain('Put back');
  });

  it('elsewhere that no command makes is told plainly, without secrets', async () => {
    await ops().type('/edge changes list shop --since 1h');
    const { text } = await shown(/OriginUrl/);
    expect(text).toMatch(/changed shop \(308002\) by Update: OriginUrl \S+ → \S+; ZoneSecurityKey \(not shown\)/);
  });

  it('by a release of a script belongs to its zone, whoever published it, and can be put back', async () => {
    await confirmed(workspace, 'script publish ab-testing previous');
    await ops().type('/edge changes list main-site --since 1h');
    const made = await shown();
    expect(made.text).toMatch(/Somebody else \(User 52317\) published release \w{8} → \w{8} of geo-redirect \(41300\)/);
    await made.card.click('Put back');
    expect((await ops().expectMessage(ASKED)).text).toMatch(/Publish release \w{8} of geo-redirect \(41300\)\?/);
    await ops().type('/edge changes list shop --since 1h');
    const own = await shown(/published release/);
    expect(own.text.match(/published release/g)).toHaveLength(1);
    expect(own.text).toMatch(/ada published release \w{8} → \w{8} of ab-testing \(41322\)/);
  });

  it('is not shown to people who may not read the audit', async () => {
    await ops('ben').type('/edge changes list shop');
    await ops('ben').expectMessage(/You may not run changes list/);
  });

  it('is the bot’s alone where the key may not read the platform’s audit, and the status says so', async () => {
    await workspace.restart();
    const asked = () => workspace.platform.requests.filter(({ path }) => path.startsWith('/user/audit')).length;
    const end = workspace.platform.fault('status=403@GET user/audit');
    await ops().type('/edge changes list shop --since 1h');
    expect((await ops().expectMessage(/Changes made elsewhere are not in it/)).text).toMatch(
      /ada switched force HTTPS/,
    );
    const before = asked();
    await ops().type('/edge changes list shop --since 2h');
    await ops().expectMessage(/Changes made elsewhere are not in it/);
    expect(asked()).toBe(before);
    await ops().type('/edge status');
    await ops().expectMessage(
      /Changes made elsewhere[\s\S]*off: the platform’s audit may not be read with this key \(403\)/,
    );
    end();
  });
});
