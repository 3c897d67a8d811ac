import { domainToASCII } from 'node:url';
import type { Hostname, PullZone } from '../account/account.ts';
import { type Answer, coreError } from '../answers.ts';
import { objectIn } from '../requests.ts';
import type { Incoming } from '../server.ts';

const asciiOf = (hostname: string): string =>
  hostname.startsWith('*.') ? `*.${domainToASCII(hostname.slice(2))}` : domainToASCII(hostname);

/** The hostname among those of the zones, compared as DNS does; international names in either form. */
export function findHostname(zones: readonly PullZone[], value: string): Hostname | undefined {
  const wanted = asciiOf(value.trim());
  return wanted === ''
    ? undefined
    : zones.flatMap((zone) => zone.Hostnames).find((hostname) => asciiOf(hostname.Value) === wanted);
}

/** The JSON body of a request about a hostname, and the `Hostname` in it; else the refusal. */
export function hostnameIn(
  request: Incoming,
): { body: Record<string, unknown>; hostname: string } | { refusal: Answer } {
  const body = objectIn(request, coreError(400, 'validation_error', '', 'The request body is not a JSON object.'));
  const { Hostname } = body;
  return typeof Hostname === 'string' && Hostname.trim() !== ''
    ? { body, hostname: Hostname }
    : { refusal: coreError(400, 'validation_error', 'Hostname', 'The Hostname field is required.') };
}
