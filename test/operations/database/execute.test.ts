import { describe, expect, it } from 'vitest';
import { SqlError } from '../../../src/platform/errors.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { useSimulated } from './simulated.ts';

const simulated = useSimulated();
const shop = () => simulated.simulator.account.databases[0]!;
const execute = (sql: string) => simulated.perform(`database execute ${shop().id} ${sql}`);

describe('database execute', () => {
  it('shows the statement, keeps its shape without the values, and names the database to type', async () => {
    const performance = await execute("UPDATE customers SET name = 'Ada' WHERE id = 1");
    const preview = await performance.preview();
    expect(performance.target).toBe(shop().name);
    expect(performance.operation.effect).toBe('destructive');
    expect(preview.after).toEqual({
      statement: 'UPDATE customers SET name = ? WHERE id = ?',
      kind: 'UPDATE',
      tables: 'customers',
    });
    expect(preview.unread).toContain('not tried beforehand');
    expect(preview.details?.text).toContain("name = 'Ada'");
  });

  it.each([
    ['DELETE FROM orders', 'DELETE without WHERE: it touches every row of orders.'],
    ['UPDATE orders SET status = 1', 'UPDATE without WHERE: it touches every row of orders.'],
    ['DROP TABLE orders', 'DROP TABLE cannot be taken back.'],
    ['PRAGMA foreign_keys = off', 'A PRAGMA may change how the whole database works.'],
  ])('warns of %s', async (sql, warning) => {
    expect((await (await execute(sql)).preview()).warnings).toContain(warning);
  });

  it('runs it once with a full-access token of five minutes and says how many rows changed', async () => {
    const { message } = await (await execute('UPDATE customers SET country = country WHERE id <= 3')).run();
    expect(message.text).toBe(`UPDATE ran on shop (${shop().id}) (customers): 3 rows changed.`);
    const minted = shop().tokens.at(-1)!;
    expect(minted.authorization).toBe('full-access');
    expect(minted.expires).toEqual(new Date('2026-11-21T12:05:00Z'));
    expect(simulated.simulator.requests.filter(({ path }) => path === '/v2/pipeline')).toHaveLength(1);
  });

  it('shows what the statement returned', async () => {
    const { message } = await (
      await execute("UPDATE customers SET name = name WHERE id = 1 RETURNING id, 'x' AS secret")
    ).run();
    expect(message.text).toMatch(/What it returned\nid +secret\n.*\n *1 +••••/);
  });

  it('passes the database’s refusal on', async () => {
    await expect((await execute('INSERT INTO orders (id) VALUES (1)')).run()).rejects.toBeInstanceOf(SqlError);
    await expect((await execute('CREATE TABLE orders (a)')).run()).rejects.toBeInstanceOf(SqlError);
  });

  it('uses the settings’ own token for their database', async () => {
    const { url, seeded } = shop();
    const performance = await simulated.perform('database execute configured CREATE TABLE made_here (a)', {
      configuredDatabase: { url: url ?? '', token: Secret.of(seeded.fullAccess) },
    });
    const count = shop().tokens.length;
    expect((await performance.preview()).details?.text).toContain('the token of the settings');
    await performance.run();
    expect(shop().tokens).toHaveLength(count);
  });
});
