import { type Answer, coreError } from '../answers.ts';
import { integerIn, pageOf } from '../requests.ts';
import type { Incoming } from '../server.ts';
import type { Simulation, SimulationRoute } from '../simulation.ts';

/** The routes of API keys. */
export const apiKeyRoutes: SimulationRoute[] = [{ method: 'GET', path: '/apikey', spec: true, answer: listKeys }];

/** `GET /apikey`: only keys of the account's owner may list keys. */
function listKeys({ account }: Simulation, { query, headers }: Incoming): Answer {
  const own = account.keys.find((key) => key.Key === headers.accesskey);
  if (!own?.Roles.some((role) => role === 'User' || role === 'UserApi')) {
    return { status: 403, body: { Message: 'This key may not list API keys.' } };
  }
  const refuse = (name: string, message: string) => coreError(400, 'validation_error', name, message);
  const page = integerIn(query, 'page', { low: 1, high: 2_147_483_647, default: 1 }, refuse);
  const perPage = integerIn(query, 'perPage', { low: 5, high: 1000, default: 1000 }, refuse);
  return { status: 200, body: pageOf(account.keys, page, perPage) };
}
