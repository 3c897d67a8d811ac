import { coreError } from '../answers.ts';
import { integerIn, pageOf } from '../requests.ts';
import type { Route } from '../server.ts';
import type { Simulation } from '../simulation.ts';

/** Row 1. Only keys of the account's owner may list keys. */
export function apiKeyRoutes({ account }: Simulation): Route[] {
  return [
    {
      method: 'GET',
      path: '/apikey',
      spec: true,
      answer({ query, headers }) {
        const own = account.keys.find((key) => key.Key === headers.accesskey);
        if (!own?.Roles.some((role) => role === 'User' || role === 'UserApi')) {
          return { status: 403, body: { Message: 'This key may not list API keys.' } };
        }
        const refuse = (name: string, message: string) => coreError(400, 'validation_error', name, message);
        const page = integerIn(query, 'page', { low: 1, high: 2_147_483_647, default: 1 }, refuse);
        const perPage = integerIn(query, 'perPage', { low: 5, high: 1000, default: 1000 }, refuse);
        return { status: 200, body: pageOf(account.keys, page, perPage) };
      },
    },
  ];
}
