import type { EdgeScript } from '../account/account.ts';
import { type Answer, coreError } from '../answers.ts';
import { integerIn, objectIn, pageOf } from '../requests.ts';
import type { Incoming } from '../server.ts';
import type { Simulation, SimulationRoute } from '../simulation.ts';

/** Limits of a script's variables. */
const MOST_VARIABLES = 128;
const LONGEST_NAME = 256;
const LONGEST_VALUE = 4096;

const EMPTY_404: Answer = { status: 404 };

/** The routes of edge scripts. */
export const edgeScriptRoutes: SimulationRoute[] = [
  { method: 'POST', path: '/compute/script/{id}/variables/add', spec: true, answer: addVariable },
  { method: 'GET', path: '/compute/script', answer: listScripts },
  { method: 'GET', path: '/compute/script/{id}', answer: showScript },
  { method: 'GET', path: '/compute/script/{id}/releases', answer: listReleases },
  { method: 'POST', path: '/compute/script/{id}/publish/{uuid}', answer: publish },
];

/** `POST /compute/script/{id}/variables/add` */
function addVariable({ account, now }: Simulation, request: Incoming): Answer {
  const script = scriptOf(account.scripts, request.params.id);
  if (!script) {
    return EMPTY_404;
  }
  const body = objectIn(request, refuse('', 'The request body is not a JSON object.'));
  const { Name, Required, DefaultValue = null } = body;
  if (typeof Name !== 'string' || Name === '' || Name.length > LONGEST_NAME) {
    return refuse('Name', `The Name must have 1 to ${LONGEST_NAME} characters.`);
  }
  if (typeof Required !== 'boolean') {
    return refuse('Required', 'The Required field is required.');
  }
  if (DefaultValue !== null && (typeof DefaultValue !== 'string' || DefaultValue.length > LONGEST_VALUE)) {
    return refuse('DefaultValue', `The DefaultValue must be a text of at most ${LONGEST_VALUE} characters.`);
  }
  if (script.EdgeScriptVariables.some((variable) => variable.Name === Name)) {
    return coreError(400, 'script.variable_exists', 'Name', `A variable with the name ${Name} already exists.`);
  }
  if (script.EdgeScriptVariables.length >= MOST_VARIABLES) {
    return coreError(400, 'script.variable_limit', 'Name', `A script has at most ${MOST_VARIABLES} variables.`);
  }
  const taken = account.scripts.flatMap((each) => each.EdgeScriptVariables.map(({ Id }) => Id));
  const variable = { Id: 1 + Math.max(0, ...taken), Name, Required, DefaultValue };
  script.EdgeScriptVariables.push(variable);
  script.LastModified = now().toISOString();
  return { status: 200, body: variable };
}

/** `GET /compute/script`: page 0 is an internal error, as on the platform. */
function listScripts({ account }: Simulation, { query }: Incoming): Answer {
  if (query.get('page') === '0') {
    return { status: 500 };
  }
  const page = integerIn(query, 'page', { low: 1, high: 2_147_483_647, default: 1 }, refuse);
  const perPage = integerIn(query, 'perPage', { low: 5, high: 1000, default: 1000 }, refuse);
  const search = query.get('search')?.toLowerCase() ?? '';
  const types = query.getAll('type');
  const scripts = account.scripts.filter(
    (script) =>
      script.Name.toLowerCase().includes(search) && (types.length === 0 || types.includes(String(script.ScriptType))),
  );
  const isLinked = query.get('includeLinkedPullzones') === 'true';
  const listed = scripts.map((script) => ({ ...shown(script), ...(isLinked ? {} : { LinkedPullZones: null }) }));
  return { status: 200, body: pageOf(listed, page, perPage) };
}

/** `GET /compute/script/{id}` */
function showScript({ account }: Simulation, { params }: Incoming): Answer {
  const script = scriptOf(account.scripts, params.id);
  return script ? { status: 200, body: shown(script) } : EMPTY_404;
}

const shown = ({ releases: _, ...script }: EdgeScript): object => script;

/** `GET /compute/script/{id}/releases`: newest first. */
function listReleases({ account }: Simulation, { params, query }: Incoming): Answer {
  const script = scriptOf(account.scripts, params.id);
  if (!script) {
    return EMPTY_404;
  }
  const page = integerIn(query, 'page', { low: 1, high: 2_147_483_647, default: 1 }, refuse);
  const perPage = integerIn(query, 'perPage', { low: 5, high: 1000, default: 1000 }, refuse);
  return { status: 200, body: pageOf(script.releases.toReversed(), page, perPage) };
}

/** `POST /compute/script/{id}/publish/{uuid}`: the release is live from now on, and no other. */
function publish({ account, now }: Simulation, request: Incoming): Answer {
  const script = scriptOf(account.scripts, request.params.id);
  const release = script?.releases.find(({ Uuid, Deleted }) => Uuid === request.params.uuid && !Deleted);
  if (!script || !release) {
    return EMPTY_404;
  }
  const { Note } = objectIn(request, refuse('', 'The request body is not a JSON object.'));
  if (Note !== undefined && Note !== null && typeof Note !== 'string') {
    return refuse('Note', 'The Note must be a text.');
  }
  for (const one of script.releases) {
    one.Status = 0;
  }
  Object.assign(release, { Status: 1, DatePublished: now().toISOString() });
  script.LastModified = release.DatePublished;
  return { status: 204 };
}

function scriptOf(scripts: readonly EdgeScript[], id: string | undefined): EdgeScript | undefined {
  return scripts.find((script) => String(script.Id) === id);
}

function refuse(name: string, message: string): Answer {
  return coreError(400, 'validation_error', name, message);
}
