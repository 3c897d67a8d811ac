import type { Database } from './database.ts';

/** People whom the bot has greeted: nobody is greeted twice, by whichever replica. */
export interface Greetings {
  /** True the first time that this person is seen. */
  first(person: { id: string; teamId: string }): Promise<boolean>;
}

/** Greetings in a database. */
export function createGreetings(database: Database): Greetings {
  const known = new Set<string>();
  return {
    async first({ id, teamId }) {
      const key = `${teamId} ${id}`;
      if (known.has(key)) return false;
      const { rows } = await database.execute(
        'INSERT INTO greetings (person, team) VALUES (:id, :team) ON CONFLICT (person, team) DO NOTHING RETURNING person',
        { id, team: teamId },
      );
      if (known.size >= 10_000) known.clear();
      known.add(key);
      return rows.length > 0;
    },
  };
}
