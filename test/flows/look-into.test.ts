import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Card, Person } from '../../playground/slack/people/person.ts';
import { startTestWorkspace, type TestWorkspace } from '../support/workspace.ts';

describe('the shortcut on a message', () => {
  let workspace: TestWorkspace;
  beforeAll(async () => {
    workspace = await startTestWorkspace();
  });
  afterAll(() => workspace.close());
  afterEach(() => expect(workspace.slack.problems).toEqual([]));

  const person = (name = 'ada') => workspace.slack.person(name);
  /** Somebody hands a message to the bot, by its text or its timestamp. */
  async function handed(by: Person, text: string, files: { name: string; content: string }[] = [], place = 'ops') {
    const ts = await person('ben').in(`#${place}`).type(text, { files });
    await by.shortcut('look-into', { channel: workspace.slack.workspace.channel(place).id, ts } as Card);
    return by.expectModal('Look into this', { ready: true });
  }

  it('hands a hostname and what goes with it to a form, filled in', async () => {
    const chooser = await handed(person(), 'Alert: https://shop.example.com/cart?token=abc returns 502 since noon!');
    expect(chooser.text).toMatch(/shop\.example\.com \/cart, status 502/);
    expect(chooser.text).not.toContain('token=abc');
    expect(chooser.buttons.slice(0, 3)).toEqual(['Log summary', 'Log search', 'Errors show']);
    expect(chooser.buttons).toEqual(expect.arrayContaining(['Stats show', 'Zone show', 'Force HTTPS']));
    await chooser.click('Log search');
    const form = await person().expectModal('Log search', { ready: true });
    expect(['Zone', 'Status', 'URL contains'].map((label) => form.value(label))).toEqual([
      'shop.example.com',
      '502',
      '/cart',
    ]);
    await form.submit();
    await person().in('#ops').expectMessage(/shop/);
    await form.close();
  });

  it('knows a zone by its name, whatever stands around it', async () => {
    const chooser = await handed(person(), 'is *main-site* slow for anybody else? See index.html');
    expect(chooser.text).toMatch(/main-site/);
    expect(chooser.text).not.toMatch(/index\.html/);
    // A zone's name is no hostname.
    expect(chooser.buttons).not.toContain('Certificate request');
    await chooser.click('Zone show');
    const form = await person().expectModal('Zone show', { ready: true });
    expect(form.value('Zone')).toBe('main-site');
    await form.close();
  });

  it('hands a file to the command that takes it', async () => {
    const content = JSON.stringify({
      openapi: '3.0.0',
      info: { title: 'shop', version: '1' },
      paths: { '/a': { get: { responses: {} } } },
    });
    const chooser = await handed(person(), 'the new definition', [{ name: 'shop.json', content }]);
    expect(chooser.text).toMatch(/The file shop\.json/);
    expect(chooser.buttons).toEqual(['Guardian upload']);
    await chooser.click('Guardian upload');
    const form = await person().expectModal('Guardian upload', { ready: true });
    expect(form.text).toMatch(/You already gave a file/);
    await form.fill({ Zone: 'main-site' });
    await form.submit();
    await form.expectChange(/shop\.json/);
    await form.close();
  });

  it('offers what can be tried where it finds nothing', async () => {
    const chooser = await handed(person(), 'good morning');
    expect(chooser.text).toMatch(/I found no hostname, zone, address or file/);
    await chooser.click('Show the zones');
    await person()
      .in('#ops')
      .expectMessage(/main-site/);
    await chooser.expectChange(/The answer is in the conversation/);
    await chooser.close();
  });

  it('offers to each what they may do, and to strangers nothing', async () => {
    const chooser = await handed(person('ben'), 'look at shop.example.com');
    expect(chooser.buttons).not.toContain('Force HTTPS');
    expect(chooser.buttons).toContain('Zone show');
    await chooser.close();
    for (const name of ['gus', 'eve']) {
      const place = name === 'eve' ? 'partners' : 'ops';
      const refused = await handed(person(name), 'look at shop.example.com', [], place);
      expect([refused.text, refused.buttons]).toEqual([expect.stringMatching(/You may not use Edgewise here/), []]);
      await refused.close();
    }
  });

  it('reads what another app has written in blocks and attachments, and its own answers', async () => {
    const ops = person().in('#ops');
    await ops.type('/edge ssl force img.example.com on');
    const preview = await ops.expectMessage(/Force HTTPS is already/);
    await person().shortcut('look-into', preview);
    const chooser = await person().expectModal('Look into this', { ready: true });
    expect(chooser.text).toMatch(/img\.example\.com/);
    await chooser.close();
  });

  it.each([
    ['another shortcut', { type: 'message_action', callback_id: 'another' }],
    ['a global shortcut', { type: 'shortcut', callback_id: 'look-into' }],
  ])('takes %s for none of its own', async (_, more) => {
    await workspace.slack.idle();
    const said = () => workspace.slack.outgoing.filter(({ method }) => /^(chat|views)\./.test(method));
    const before = said().length;
    const payload = {
      user: { id: person().id, team_id: 'T1' },
      team: { id: 'T1' },
      trigger_id: 't',
      message: {},
      ...more,
    };
    expect((await workspace.slack.signedRequest({ payload })).status).toBe(200);
    await workspace.slack.idle();
    expect(said().slice(before)).toEqual([]);
  });
});
