import { expect, it } from 'vitest';
import { byHand } from '../../test/support/by-hand.ts';
import { startTestWorkspace } from '../../test/support/workspace.ts';

const MINUTE = 60_000;

/** Over Socket Mode: the clock that is moved here would make every signature stale. */
it('somebody who can write to the store wants a change that nobody confirmed to be done at its time', async () => {
  let ahead = 0;
  const workspace = await startTestWorkspace({ now: () => new Date(Date.now() + ahead), socket: true });
  await workspace.slack.connected();
  const hostname = workspace.platform.account.zones
    .flatMap(({ Hostnames }) => Hostnames)
    .find(({ Value }) => Value === 'dl.example.com')!;
  hostname.ForceSSL = false;
  const ops = workspace.slack.person('ada').in('#ops');
  await ops.type('/edge ssl force dl.example.com on --at "in 5m"');
  await ops.expectMessage(/Runs later: /);
  const store = byHand(workspace.storeFile);
  await store.execute("UPDATE confirmations SET state = 'planned'");
  await store.execute(
    "INSERT INTO jobs (key, kind, run_at, body) SELECT 'planned:' || id, 'planned', due_at, '' FROM confirmations",
  );
  store.close();
  const before = workspace.platform.writes().length;
  ahead = 5 * MINUTE + 1_000;
  await workspace.restart();
  await workspace.slack.connected();
  await workspace.app.tick();
  await workspace.slack.idle();
  expect(workspace.platform.writes()).toHaveLength(before);
  expect(hostname.ForceSSL).toBe(false);
  await workspace.close();
});
