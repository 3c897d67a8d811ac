import { expect, it } from 'vitest';
import { BUTTONS, button } from '../../src/blocks/buttons.ts';
import { actions, message } from '../../src/blocks/message.ts';
import { byHand } from '../../test/support/by-hand.ts';
import { ASKED, CONFIRM } from '../../test/support/changes.ts';
import { startTestWorkspace } from '../../test/support/workspace.ts';

/** Over Socket Mode: the clock that is moved here would make every signature stale. */
it('somebody who can write to the store wants the bot to post a button of theirs: it posts what it has sealed', async () => {
  let now = Date.parse('2026-11-20T07:31:00Z');
  const workspace = await startTestWorkspace({ now: () => new Date(now), socket: true });
  await workspace.slack.connected();
  const ops = workspace.slack.person('ada').in('#ops');
  await ops.type('/edge report subscribe changes "every 5 minutes"');
  await (await ops.expectMessage(ASKED)).click(CONFIRM);
  await ops.expectMessage(/subscribed/);
  const { text, blocks } = message('The figures are ready.', actions(button(BUTTONS.undo, 'a-change-of-ada')));
  const store = byHand(workspace.storeFile);
  const content = JSON.stringify({ key: 'of theirs', text, blocks });
  await store.execute(`INSERT INTO anchors (name, about, at, content) VALUES ('reply', 1, ${now}, '${content}')`);
  store.close();
  now = Date.parse('2026-11-20T07:35:01Z');
  await workspace.app.tick();
  expect(ops.messages.filter((one) => one.text.includes('The figures are ready'))).toEqual([]);
  await workspace.close();
});
