import { createHash, randomBytes } from 'node:crypto';
import { apart } from '../interaction.ts';
import { Secret } from '../secret.ts';
import { DAY } from '../time.ts';
import { type Database, type Rows, timeOf } from './database.ts';
import { isGenuine, macOf } from './protection.ts';
import { type Seal, UNSEALED } from './seal.ts';

interface Owner {
  id: string;
  teamId: string;
}

/** In days. */
export const AGENT_TOKEN_LIFETIME = 90;

/** What a person’s agents show to ask in their name. Each person has one at most, and only its hash is stored. */
export type AgentTokens = ReturnType<typeof createAgentTokens>;

export function createAgentTokens(database: Database, seal: Seal = UNSEALED) {
  let asked = new Set<string>();
  let next: Promise<Rows['rows']> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  /** Anybody may show wrong tokens: however many they show, they take one connection. */
  function find(hash: string): Promise<Rows['rows']> {
    asked.add(hash);
    next ??= apart(async () => {
      await last;
      const hashes = JSON.stringify([...asked]);
      [asked, next] = [new Set(), undefined];
      const sql = 'SELECT * FROM agent_tokens WHERE hash IN LIST(:hashes) AND expires_at > :now';
      return (await database.execute(sql, { hashes })).rows;
    });
    last = next.catch(() => undefined);
    return next;
  }
  return {
    /** Ends the one before. */
    async create({ id: actor, teamId: team }: Owner) {
      const token = `edgewise_${randomBytes(32).toString('base64url')}`;
      const expires_at = (await timeOf(database)) + AGENT_TOKEN_LIFETIME * DAY;
      const row = { actor, team, hash: hashOf(token), expires_at };
      await database.execute(
        `INSERT INTO agent_tokens (actor, team, hash, expires_at, mac) VALUES (:actor, :team, :hash, :expires_at, :mac)
         ON CONFLICT (actor, team) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at, mac = excluded.mac`,
        { ...row, mac: macOf(seal, 'agent_tokens', row) },
      );
      return { token: Secret.of(token), until: new Date(expires_at) };
    },
    /** Undefined: they have none. */
    async until({ id: actor, teamId: team }: Owner) {
      const sql = 'SELECT expires_at FROM agent_tokens WHERE actor = :actor AND team = :team AND expires_at > :now';
      const [row] = (await database.execute(sql, { actor, team })).rows;
      return row && new Date(Number(row.expires_at));
    },
    async revoke({ id: actor, teamId: team }: Owner) {
      await database.execute('DELETE FROM agent_tokens WHERE actor = :actor AND team = :team', { actor, team });
    },
    /** Undefined: it is not a token, has expired, or was not made by the bot. */
    async ownerOf(token: string) {
      const hash = hashOf(token);
      const row = (await find(hash)).find((one) => one.hash === hash);
      if (row === undefined || !isGenuine(seal, 'agent_tokens', row)) return undefined;
      return { id: String(row.actor), teamId: String(row.team) };
    },
  };
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
