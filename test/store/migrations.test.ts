import { describe, expect, it } from 'vitest';
import { migrations } from '../../src/store/migrations.ts';

/** Until there, all replicas had to stop for an upgrade. */
const LAST_ALONE = 'archives of the audit';

/** A statement that an older version does not notice: it names its columns when it writes, and reads those that it knows. */
const onlyAdds = (statement: string) =>
  /^\s*CREATE (TABLE|INDEX)\b/.test(statement) ||
  (/^\s*ALTER TABLE \w+ ADD COLUMN\b/.test(statement) && (!/NOT NULL/.test(statement) || /DEFAULT/.test(statement)));

describe('a migration', () => {
  it('only adds to the tables, so that an older replica goes on while a newer one starts', () => {
    const names = migrations.map(({ name }) => name);
    const rolling = migrations.slice(names.indexOf(LAST_ALONE) + 1);
    expect(rolling.length).toBeGreaterThan(0);
    const others = rolling.flatMap(({ name, statements }) =>
      statements.filter((one) => !onlyAdds(one)).map((one) => `${name}: ${one}`),
    );
    expect(others, 'say in docs/operating.md that all replicas have to stop for it').toEqual([]);
  });
});
