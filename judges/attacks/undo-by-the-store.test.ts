import { expect, it } from 'vitest';
import { byHand } from '../../test/support/by-hand.ts';
import { ASKED, CONFIRM } from '../../test/support/changes.ts';
import { startTestWorkspace } from '../../test/support/workspace.ts';

it('somebody who can write to the store wants a change to be undone that nobody undoes', async () => {
  const workspace = await startTestWorkspace({ socket: true });
  await workspace.slack.connected();
  const hostname = workspace.platform.account.zones
    .flatMap(({ Hostnames }) => Hostnames)
    .find(({ Value }) => Value === 'dl.example.com')!;
  hostname.ForceSSL = false;
  const ops = workspace.slack.person('ada').in('#ops');
  await ops.type('/edge ssl force dl.example.com on');
  await (await ops.expectMessage(ASKED)).click(CONFIRM);
  await ops.expectMessage(/@ada switched force HTTPS off → on/);
  await workspace.slack.idle();
  const store = byHand(workspace.storeFile);
  await store.execute("UPDATE reversals SET state = 'claimed'");
  await store.execute(
    "INSERT INTO jobs (key, kind, run_at, body) SELECT 'reversal:' || confirmation, 'reversal', 0, '' FROM reversals",
  );
  store.close();
  await workspace.restart();
  await workspace.slack.connected();
  await workspace.app.tick();
  await workspace.slack.idle();
  expect(hostname.ForceSSL).toBe(true);
  await workspace.close();
});
