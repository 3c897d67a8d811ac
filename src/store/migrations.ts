/** The store's tables, in the order in which they came to be. An entry is never changed once it has been released. */
export const migrations: readonly { name: string; statements: readonly string[] }[] = [
  {
    name: 'confirmations',
    statements: [
      `CREATE TABLE confirmations (
        id TEXT PRIMARY KEY,
        operation TEXT NOT NULL,
        given TEXT NOT NULL,
        target TEXT NOT NULL,
        typed_name TEXT,
        preview TEXT NOT NULL,
        actor TEXT NOT NULL,
        team TEXT NOT NULL,
        channel TEXT NOT NULL,
        thread TEXT,
        state TEXT NOT NULL,
        outcome TEXT,
        created_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        lease_until INTEGER
      ) STRICT`,
      'CREATE INDEX confirmations_by_state ON confirmations (state, lease_until)',
    ],
  },
  {
    name: 'audit',
    statements: [
      `CREATE TABLE audit (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at INTEGER NOT NULL,
        actor TEXT NOT NULL,
        team TEXT NOT NULL,
        channel TEXT NOT NULL,
        operation TEXT NOT NULL,
        target TEXT NOT NULL,
        given TEXT NOT NULL,
        outcome TEXT NOT NULL,
        detail TEXT NOT NULL,
        confirmation TEXT,
        reference TEXT
      ) STRICT`,
      'CREATE INDEX audit_by_target ON audit (target)',
    ],
  },
  {
    name: 'deliveries',
    statements: [
      'CREATE TABLE deliveries (key TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID',
      'CREATE INDEX deliveries_by_age ON deliveries (at)',
    ],
  },
  {
    name: 'results',
    statements: [
      `CREATE TABLE results (
        id TEXT PRIMARY KEY,
        actor TEXT NOT NULL,
        team TEXT NOT NULL,
        sealed BLOB NOT NULL,
        expires_at INTEGER NOT NULL
      ) STRICT`,
    ],
  },
  {
    name: 'log slots',
    statements: [
      `CREATE TABLE log_slots (
        zone INTEGER NOT NULL,
        slot INTEGER NOT NULL,
        free_at INTEGER NOT NULL,
        owner TEXT,
        PRIMARY KEY (zone, slot)
      ) STRICT, WITHOUT ROWID`,
    ],
  },
];
