import { createRandom } from '../random.ts';

const quoted = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;

function insertOf(table: string, rows: readonly (readonly (string | number)[])[]): string {
  return `INSERT INTO ${table} VALUES\n${rows.map((row) => `(${row.map(quoted).join(', ')})`).join(',\n')};`;
}

/** The SQL that fills a seeded database. */
export function seedSql(name: string, seed: number, now: Date): string {
  return name === 'shop' ? shopSql(seed, now) : eventsSql(seed, now);
}

const FIRST = ['Ada', 'Ben', 'Chloé', 'Dara', 'Emil', 'Fatima', 'Grete', 'Hiro', 'Inés', 'Jonas', 'Kofi', 'Lena'];
const LAST = ['Novak', "O'Brien", 'Schäfer', 'Sato', 'Lindqvist', 'Moreau', 'Okafor', 'Rossi', 'Haddad', 'Kim'];
const COUNTRIES = ['DE', 'US', 'GB', 'FR', 'NL', 'JP', 'BR', 'AT'];
const PRODUCTS = ['rain-jacket', 'trail-shoes', 'wool-hat', 'day-pack', 'camp-stove', 'headlamp', 'tent-2p'];
const STATES = ['paid', 'paid', 'shipped', 'shipped', 'shipped', 'delivered', 'delivered', 'cancelled', 'refunded'];

function shopSql(seed: number, now: Date): string {
  const random = createRandom(seed, 'shop');
  const daysAgo = (days: number): string =>
    new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 19).replace('T', ' ');
  const customers = Array.from({ length: 120 }, (_, index) => {
    const [first, last] = [random.pick(FIRST), random.pick(LAST)];
    const email = `${first}.${last}.${index + 1}@mail.example`.toLowerCase().replace(/[^a-z0-9.@]/g, '');
    return [index + 1, `${first} ${last}`, email, random.pick(COUNTRIES), daysAgo(random.next() * 700)];
  });
  const orders = Array.from({ length: 480 }, (_, index) => [
    1000 + index,
    1 + Math.floor(random.next() ** 2 * 120),
    random.pick(PRODUCTS),
    random.integer(1, 4),
    random.integer(900, 42_000) / 100,
    random.pick(STATES),
    daysAgo(random.next() * 90),
  ]);
  return [
    `CREATE TABLE customers (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE, country TEXT NOT NULL, created_at TEXT NOT NULL
    );`,
    `CREATE TABLE orders (
      id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers (id), product TEXT NOT NULL,
      quantity INTEGER NOT NULL CHECK (quantity > 0), total REAL NOT NULL, status TEXT NOT NULL, created_at TEXT NOT NULL
    );`,
    'CREATE INDEX orders_by_customer ON orders (customer_id);',
    insertOf('customers', customers),
    insertOf('orders', orders),
  ].join('\n');
}

const KINDS = ['page_view', 'page_view', 'page_view', 'sign_in', 'add_to_cart', 'purchase', 'error'];

function eventsSql(seed: number, now: Date): string {
  const random = createRandom(seed, 'events');
  const events = Array.from({ length: 600 }, (_, index) => [
    index + 1,
    random.pick(KINDS),
    JSON.stringify({ path: `/${random.pick(PRODUCTS)}`, ms: random.integer(20, 900) }),
    Math.floor(now.getTime() / 1000) - random.integer(0, 7 * 86_400),
  ]);
  return [
    'CREATE TABLE events (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, payload TEXT NOT NULL, at INTEGER NOT NULL);',
    'CREATE INDEX events_by_kind ON events (kind, at);',
    insertOf('events', events),
  ].join('\n');
}
