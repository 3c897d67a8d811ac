import { count } from '../../blocks/format.ts';
import { fields, type Message, message, section } from '../../blocks/message.ts';
import { bold, code, join, mrkdwn } from '../../blocks/mrkdwn.ts';
import { labelOf, PLAN_TYPES } from '../../platform/enums.ts';
import type { Guardian, GuardianEndpoint } from '../../platform/resources/shield-zones.ts';
import { warningsOf } from '../operation.ts';
import type { DefinitionOutline, OutlinedEndpoint } from './outline.ts';

export interface Known {
  plan: number | undefined;
  active: Guardian | undefined;
}

/** The configuration's own number goes before the plan's. */
function mostEndpoints({ plan, active }: Known): number | undefined {
  // Enterprise has its own number. Source: the product's documentation.
  return active?.configuration.maxEndpoints ?? { 0: 0, 1: 10, 2: 50 }[plan ?? Number.NaN];
}

/** Why the platform will probably refuse it. */
export function limitWarnings(outline: DefinitionOutline, known: Known): string[] {
  const { plan } = known;
  if (plan === 0) return ['The plan of this shield zone is Basic, which has no request validation.'];
  const planWords = plan === undefined ? '' : ` of the ${labelOf(PLAN_TYPES, plan)} plan`;
  const most = mostEndpoints(known);
  const { length } = outline.endpoints;
  return warningsOf(
    length === 0 && 'The definition has no endpoints.',
    most !== undefined &&
      length > most &&
      `Endpoints: ${count(length)}, and the limit${planWords} is ${count(most)}. The platform will probably refuse it.`,
  );
}

const named = ({ method, path }: OutlinedEndpoint) => `${method} ${path}`;

const activeEndpoint = ({ requestMethod = '', requestPath = '' }: GuardianEndpoint): OutlinedEndpoint => ({
  // Only a method: a secret would not be recognised in capitals.
  method: /^[a-z]+$/i.test(requestMethod) ? requestMethod.toUpperCase() : requestMethod,
  path: requestPath,
});

function missing(from: readonly OutlinedEndpoint[], other: readonly OutlinedEndpoint[]): OutlinedEndpoint[] {
  const names = new Set(other.map(named));
  return from.filter((endpoint) => !names.has(named(endpoint)));
}

function listed(title: string, endpoints: readonly OutlinedEndpoint[]) {
  if (endpoints.length === 0) return undefined;
  const more = endpoints.length - 10;
  const lines = endpoints.slice(0, 10).map((endpoint) => mrkdwn`• ${code(named(endpoint))}`);
  const head = bold(`${title} (${count(endpoints.length)})`);
  return section(join([head, ...lines, ...(more > 0 ? [`and ${count(more)} more`] : [])], '\n'));
}

export function assessmentMessage(outline: DefinitionOutline, known: Known): Message {
  const { plan, active } = known;
  const most = mostEndpoints(known);
  const now = active?.endpoints.map(activeEndpoint);
  const added = now === undefined ? [] : missing(outline.endpoints, now);
  const removed = now === undefined ? [] : missing(now, outline.endpoints);
  const isSame = now !== undefined && added.length + removed.length === 0;
  return message(
    fields([
      ['Plan', plan === undefined ? undefined : labelOf(PLAN_TYPES, plan)],
      ['Endpoints', `${count(outline.endpoints.length)}${most === undefined ? '' : ` of ${count(most)}`}`],
    ]),
    active === undefined && plan === undefined && 'The plan and its limits are not shown by the platform.',
    isSame && 'It has the endpoints that are active now.',
    listed('Added', added),
    listed('Removed', removed),
  );
}
