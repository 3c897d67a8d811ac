import type { Database } from '../account/account.ts';
import { seedToken } from '../account/tokens.ts';
import { type Answer, databaseError } from '../answers.ts';
import { createRandom } from '../random.ts';
import { integerIn, objectIn } from '../requests.ts';
import type { Incoming } from '../server.ts';
import type { Simulation, SimulationRoute } from '../simulation.ts';

const ID = /^db_[0-9A-HJKMNP-TV-Z]{26}$/;

/** The control plane of the databases, at v2 and v1. */
export const databaseRoutes: SimulationRoute[] = [
  { method: 'GET', path: '/database/v2/databases', answer: listDatabases },
  {
    method: 'GET',
    path: '/database/v2/databases/{db}',
    answer: withDatabase((database) => ({ status: 200, body: { db: databaseObject(database) } })),
  },
  { method: 'PUT', path: '/database/v2/databases/{db}/auth/generate', answer: withDatabase(generateToken) },
  { method: 'POST', path: '/database/v2/databases/{db}/auth/revoke', answer: withDatabase(revokeTokens) },
  { method: 'POST', path: '/database/v1/databases/{db}/auth/tokens', answer: withDatabase(generateToken) },
  { method: 'POST', path: '/database/v1/databases/{db}/auth/invalidate', answer: withDatabase(revokeTokens) },
];

/** Answers for the database in the path. */
function withDatabase(
  answer: (database: Database, request: Incoming, simulation: Simulation) => Answer,
): SimulationRoute['answer'] {
  return (simulation, request) => {
    const id = request.params.db ?? '';
    if (!ID.test(id)) {
      return databaseError(400, 'The database id is malformed.');
    }
    const database = simulation.account.databases.find((other) => other.id === id);
    return database ? answer(database, request, simulation) : databaseError(404, 'The database was not found.');
  };
}

/** `PUT /database/v2/databases/{db}/auth/generate` and `POST /database/v1/databases/{db}/auth/tokens` */
function generateToken(database: Database, request: Incoming, simulation: Simulation): Answer {
  const { seed, now, secrets } = simulation;
  const refuse = (message: string) => databaseError(400, message);
  const { authorization, expires_at = null } = objectIn(request, refuse('The request body is not a JSON object.'));
  if (authorization !== 'full-access' && authorization !== 'read-only') {
    return refuse('authorization must be full-access or read-only.');
  }
  const expires = typeof expires_at === 'string' && /^\d{4}-\d\d-\d\dT/.test(expires_at) ? new Date(expires_at) : null;
  if (expires_at !== null && (expires === null || Number.isNaN(expires.getTime()))) {
    return refuse('expires_at must be an RFC 3339 date-time or null.');
  }
  if (expires !== null && expires <= now()) {
    return refuse('expires_at must be in the future.');
  }
  simulation.tokensMade += 1;
  const { id, groupId } = database;
  const random = createRandom(seed, 'token', id, simulation.tokensMade, now().getTime());
  const token = seedToken(random, { id, groupId, authorization, issued: now(), expires });
  database.tokens.push({ token, authorization, expires, revoked: false });
  secrets.add(token);
  return { status: 200, body: { token, expires_at: expires?.toISOString() ?? null } };
}

/** `POST /database/v2/databases/{db}/auth/revoke` and `POST /database/v1/databases/{db}/auth/invalidate` */
function revokeTokens(database: Database): Answer {
  for (const token of database.tokens) {
    token.revoked = true;
  }
  return { status: 204 };
}

/** `GET /database/v2/databases` */
function listDatabases({ account }: Simulation, { query }: Incoming): Answer {
  const refuse = (_: string, message: string) => databaseError(400, message);
  if (!query.get('page')) {
    return databaseError(400, 'The query parameter page is required.');
  }
  const page = integerIn(query, 'page', { low: 1, high: 1_000_000, default: 1 }, refuse);
  const perPage = integerIn(query, 'per_page', { low: 1, high: 1000, default: 100 }, refuse);
  const search = query.get('search')?.toLowerCase() ?? '';
  const found = account.databases.filter((database) => database.name.toLowerCase().includes(search));
  return {
    status: 200,
    body: {
      databases: found.slice((page - 1) * perPage, page * perPage).map(databaseObject),
      page_info: { current_page: page, total_items: found.length, has_more_items: page * perPage < found.length },
    },
  };
}

function databaseObject(database: Database): object {
  return {
    name: database.name,
    id: database.id,
    group_id: database.groupId,
    url: `${database.url}/`,
    block_reads: false,
    block_writes: false,
    size_max: '1 GB',
    current_size: '1 MB',
    size_max_bytes: 1_073_741_824,
    current_size_bytes: 1_048_576,
    storage_region: 'eu-west-1',
    primary_regions: [database.region],
    replicas_regions: ['UK'],
  };
}
