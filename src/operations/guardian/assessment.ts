import { count } from '../../blocks/format.ts';
import { fields, type Message, message, section } from '../../blocks/message.ts';
import { bold, code, join, type Mrkdwn, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import { labelOf, PLAN_TYPES } from '../../platform/enums.ts';
import type { GuardianConfiguration } from '../../platform/resources/shield-zones.ts';
import type { ChangedEndpoint, DefinitionOutline, OutlinedEndpoint } from './outline.ts';

/** The endpoints that each plan takes; Enterprise has its own number. Source: the product's documentation. */
const PLAN_ENDPOINTS: Readonly<Record<number, number>> = { 0: 0, 1: 10, 2: 50 };

/** The figures of a definition, each with the limit field that it is compared with. */
const MEASURES = [
  ['Endpoints', 'maxEndpoints', ({ endpoints }: DefinitionOutline) => endpoints.length],
  ['Fields per type', 'maxFieldsPerType', ({ fieldsPerType }: DefinitionOutline) => fieldsPerType],
  ['Nesting depth', 'maxNestingDepth', ({ nestingDepth }: DefinitionOutline) => nestingDepth],
  ['Schema nodes in all', 'maxTotalSchemaNodes', ({ schemaNodes }: DefinitionOutline) => schemaNodes],
  ['Length of patterns in all', 'maxTotalRegexLength', ({ regexLength }: DefinitionOutline) => regexLength],
] as const;

const LISTED = 10;

type Limits = Pick<GuardianConfiguration, (typeof MEASURES)[number][1]>;

/** The limits as far as they are known: the plan's, and those that the active configuration carries. */
export interface Known {
  /** `planType` of the shield zone; undefined where the platform does not tell. */
  plan: number | undefined;
  limits: Limits | undefined;
}

/** The most that may be, where that is known. The configuration's own number goes before the plan's. */
function mostOf(field: keyof Limits, { plan, limits }: Known): number | undefined {
  const own = limits?.[field];
  if (own !== undefined || field !== 'maxEndpoints' || plan === undefined) return own;
  return PLAN_ENDPOINTS[plan];
}

/** The reasons for which the platform will refuse the definition, as far as the plan and the limit fields tell. */
export function limitWarnings(outline: DefinitionOutline, known: Known): string[] {
  const { plan } = known;
  if (plan === 0) return ['The plan of this shield zone is Basic, which has no request validation.'];
  const planWords = plan === undefined ? '' : ` of the ${labelOf(PLAN_TYPES, plan)} plan`;
  return [
    ...(outline.endpoints.length === 0 ? ['The definition has no endpoints.'] : []),
    ...MEASURES.flatMap(([label, field, measured]) => {
      const most = mostOf(field, known);
      const value = measured(outline);
      return most === undefined || value <= most
        ? []
        : [
            `${label}: ${count(value)}, and the limit${planWords} is ${count(most)}. The platform will probably refuse it.`,
          ];
    }),
  ];
}

const named = ({ method, path }: OutlinedEndpoint) => code(`${method} ${path}`);

function listed<T extends OutlinedEndpoint>(
  title: string,
  endpoints: readonly T[],
  words: (endpoint: T) => Words,
): Mrkdwn {
  const more = endpoints.length - LISTED;
  const lines = endpoints.slice(0, LISTED).map((endpoint) => mrkdwn`• ${words(endpoint)}`);
  return join(
    [bold(`${title} (${count(endpoints.length)})`), ...lines, ...(more > 0 ? [`and ${count(more)} more`] : [])],
    '\n',
  );
}

/** The definition's figures beside their limits, and what it adds, removes and changes. */
export function assessmentMessage(outline: DefinitionOutline, known: Known): Message {
  const { plan, limits } = known;
  const { added = [], removed = [], changed = [] } = outline.difference ?? {};
  const figures = MEASURES.map(([label, field, measured]): [string, Words] => {
    const most = mostOf(field, known);
    return [label, `${count(measured(outline))}${most === undefined ? '' : ` of ${count(most)}`}`];
  });
  const isSame = outline.difference !== undefined && added.length + removed.length + changed.length === 0;
  return message(
    fields([['Plan', plan === undefined ? undefined : labelOf(PLAN_TYPES, plan)], ...figures]),
    limits === undefined && plan === undefined && 'The plan and its limits are not shown by the platform.',
    isSame && 'The endpoints are those that are active now.',
    added.length > 0 && section(listed('Added', added, named)),
    removed.length > 0 && section(listed('Removed', removed, named)),
    changed.length > 0 &&
      section(
        listed<ChangedEndpoint>(
          'Changed',
          changed,
          (endpoint) => mrkdwn`${named(endpoint)}: ${endpoint.what.join(', ')}`,
        ),
      ),
  );
}
