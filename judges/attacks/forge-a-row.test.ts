import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byHand } from '../../test/support/by-hand.ts';
import { confirmed } from '../../test/support/changes.ts';
import { startTestWorkspace, type TestWorkspace } from '../../test/support/workspace.ts';

/** Somebody who can write to the store's file writes rows as the bot itself would without a key, and waits for the next start. */
describe('a row that somebody else wrote', () => {
  let workspace: TestWorkspace;
  const ops = () => workspace.slack.person('ada').in('#ops');

  beforeAll(async () => {
    workspace = await startTestWorkspace();
    await confirmed(workspace, 'ssl force shop.example.com on');
    await workspace.slack.idle();
  });
  afterAll(() => workspace.close());

  async function forge(...statements: string[]): Promise<void> {
    await workspace.app.stop();
    const client = byHand(workspace.storeFile);
    for (const { name } of (await client.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")).rows)
      if (name !== 'audit_grows') await client.execute(`DROP TRIGGER "${String(name)}"`);
    for (const sql of statements) await client.execute(sql);
    client.close();
    await workspace.restart();
    await workspace.slack.idle();
  }

  const CONFIRMATION = `INSERT INTO confirmations (id, operation, given, target, preview, actor, team, channel, state, created_at, expires_at)
    SELECT 'forged', operation, '{"hostname":"shop.example.com","state":"on"}', target,
      '{"before":{"ForceSSL":false},"after":{"ForceSSL":true}}', actor, team, channel, 'done', created_at, expires_at
    FROM confirmations LIMIT 1`;

  it('switches nothing back, as if its time were over', async () => {
    const before = workspace.platform.writes().length;
    await forge(
      CONFIRMATION,
      `INSERT INTO reversals (confirmation, given, undo_until, due_at, state)
       VALUES ('forged', '{"hostname":"shop.example.com","state":"off"}', 9e12, 1, 'open')`,
    );
    expect(workspace.platform.writes().slice(before)).toEqual([]);
  });

  it('is named by the proof of the audit, and blames nobody', async () => {
    await ops().type('/edge audit verify');
    await ops().expectMessage(/In confirmations: forged was not written like this by the bot/);
    await ops().type('/edge audit list --reads');
    expect(
      (await ops().expectMessage(/Audit: .*, newest first/)).text.match(/switched force HTTPS|ssl force/g),
    ).toHaveLength(1);
  });

  it('does not become an entry of the audit that says that somebody did it', async () => {
    await forge(`UPDATE confirmations SET state = 'done', expires_at = 9e12, outcome = NULL WHERE id = 'forged'`);
    await ops().type('/edge audit list --changes');
    expect(
      (await ops().expectMessage(/Audit: .*, newest first/)).text.match(/switched force HTTPS|ssl force/g),
    ).toHaveLength(1);
  });

  it('cannot be the second of a chain that was made anew and blames another', async () => {
    for (const line of ['zone list', 'key list']) {
      await ops().type(`/edge ${line}`);
      await workspace.slack.idle();
    }
    const client = byHand(workspace.storeFile);
    const { rows } = await client.execute('SELECT * FROM audit ORDER BY number');
    client.close();
    let previous = '0'.repeat(64);
    const anew = rows.flatMap((row) => {
      const actor = row.number === 2 ? 'U0GUS000003' : String(row.actor);
      const hash = createHash('sha256').update(previous);
      for (const column of ['number', 'at', 'actor', 'team', 'channel', 'operation', 'target', 'content']) {
        const value = column === 'actor' ? actor : String(row[column]);
        hash.update(`${column}:${value.length}:${value};`);
      }
      previous = hash.digest('hex');
      return [
        `UPDATE audit SET actor = '${actor}', hash = '${previous}' WHERE number = ${Number(row.number)}`,
        `UPDATE audit_head SET hash = '${previous}'`,
      ];
    });
    await forge(...anew);
    await ops().type('/edge audit verify');
    await ops().expectMessage(/Entry 2 was not written by the bot, or with another key/);
  });
});
