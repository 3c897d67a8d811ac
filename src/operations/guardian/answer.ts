import { count, dayAndTimeOf, yesNo } from '../../blocks/format.ts';
import { fields, type Message, message, note, type Part } from '../../blocks/message.ts';
import { bold, code, visibleInFile, type Words } from '../../blocks/mrkdwn.ts';
import { numberCell, right, table } from '../../blocks/table.ts';
import {
  BODY_LIMIT_ACTIONS,
  EXECUTION_MODES,
  type Labels,
  labelOf,
  UNMATCHED_PATH_ACTIONS,
} from '../../platform/enums.ts';
import type {
  Guardian,
  GuardianConfiguration,
  GuardianEndpoint,
  GuardianParameters,
} from '../../platform/resources/shield-zones.ts';
import type { Done } from '../../platform/shapes.ts';
import type { Reader } from '../context.ts';

const LIMITS = [
  ['maxEndpoints', 'Endpoints'],
  ['maxFieldsPerType', 'Fields per type'],
  ['maxNestingDepth', 'Nesting depth'],
  ['maxTotalSchemaNodes', 'Schema nodes in all'],
  ['maxTotalRegexLength', 'Length of patterns in all'],
] as const;

const enumWords = (labels: Labels, value: number | undefined) =>
  value === undefined ? undefined : bold(labelOf(labels, value));

const dateWords = (value: string | undefined, reader: Reader) => value && dayAndTimeOf(value, reader);

function configurationParts(configuration: GuardianConfiguration, reader: Reader): Part[] {
  const pairs: [string, Words | undefined][] = [
    ['Title', configuration.title],
    ['Version', configuration.version],
    ['Shield zone', configuration.shieldZoneId === undefined ? undefined : code(configuration.shieldZoneId)],
    ['Enabled', yesNo(configuration.isEnabled)],
    ['Execution mode', enumWords(EXECUTION_MODES, configuration.executionMode)],
    ['Body over the limit', enumWords(BODY_LIMIT_ACTIONS, configuration.bodyLimitAction)],
    ['Unknown path', enumWords(UNMATCHED_PATH_ACTIONS, configuration.unmatchedPathAction)],
  ];
  const dates = [
    ['created', dateWords(configuration.createdAt, reader)],
    ['updated', dateWords(configuration.updatedAt, reader)],
  ].flatMap(([did, at]) => (at === undefined || at === '' ? [] : [`${did} ${at}`]));
  const limits = LIMITS.map(([key, label]) => [label, numberCell(configuration[key], count, reader)]);
  return [
    fields(pairs),
    ...(dates.length > 0 ? [note(`The configuration was ${dates.join(', ')}.`)] : []),
    table({ caption: 'Limits', columns: ['Of', right('At most')], rows: limits }),
  ];
}

/** `ApiKey in Header X-Api-Key (name)`, `Http bearer (name)` */
function schemeWords(scheme: GuardianEndpoint['authSchemes'][number]): string {
  const where = scheme.location === undefined ? undefined : `in ${scheme.location}`;
  const name = scheme.schemeName === undefined ? undefined : `(${scheme.schemeName})`;
  return [scheme.schemeType, scheme.httpScheme, where, scheme.credentialName, name].filter(Boolean).join(' ');
}

/** `Path: id; Query: page, size` */
function parameterWords(parameters: GuardianParameters | undefined): string {
  return Object.entries(parameters ?? {})
    .filter(([, names]) => names.length > 0)
    .map(([location, names]) => `${location}: ${names.join(', ')}`)
    .join('; ');
}

/** `100 per 60 s, Global`. Source of the timeframe's unit: docs/platform.md, Guardian modes. */
function rateWords(endpoint: GuardianEndpoint, reader: Reader): string {
  const { rateLimitingEnabled: on, rateLimitingRequestCount: requests, rateLimitingTimeframe: seconds } = endpoint;
  if (on === false) return 'off';
  const rate = requests === undefined ? undefined : count(requests, reader);
  const limit = [rate, seconds === undefined ? undefined : `per ${seconds} s`].filter(Boolean).join(' ');
  return [limit, endpoint.rateLimitingType].filter(Boolean).join(', ') || (on ? 'on' : '–');
}

function checkWords(endpoint: GuardianEndpoint): string {
  const injected = parameterWords(endpoint.injectionDetectionParameters);
  const kinds = [endpoint.detectParameterXss && 'XSS', endpoint.detectParameterSqli && 'SQL injection'].filter(Boolean);
  return [
    endpoint.validateRequestBodySchema && 'request body',
    endpoint.validateResponseBodySchema && 'response body',
    endpoint.validateAuthorization && 'authorization',
    kinds.length > 0 && `${kinds.join(' and ')}${injected === '' ? '' : ` in ${injected}`}`,
  ]
    .filter(Boolean)
    .join(', ');
}

function endpointTable(endpoints: readonly GuardianEndpoint[], reader: Reader): Part {
  return table({
    caption: 'Endpoints',
    columns: ['Method', 'Path', 'On', 'Schemes', 'Parameters', 'Rate limit', 'Checks', right('Id')],
    rows: endpoints.map((endpoint) => [
      endpoint.requestMethod,
      endpoint.requestPath,
      yesNo(endpoint.isEnabled),
      endpoint.authSchemes.map(schemeWords).join('; '),
      parameterWords(endpoint.availableParameters),
      rateWords(endpoint, reader),
      checkWords(endpoint),
      numberCell(endpoint.apiGuardianEndpointId),
    ]),
  });
}

/** Too long for a cell: one file for all endpoints. */
function schemaFile(endpoints: readonly GuardianEndpoint[]): Part | undefined {
  const pieces = endpoints.flatMap((endpoint) => {
    const name = `${endpoint.requestMethod ?? ''} ${endpoint.requestPath ?? ''}`.trim();
    const responses = Object.entries(endpoint.responseBodySchemasYaml ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    return [
      ...(endpoint.requestBodySchemaYaml === undefined
        ? []
        : [`# ${name}: request body\n${endpoint.requestBodySchemaYaml.trimEnd()}`]),
      ...responses.map(([status, yaml]) => `# ${name}: response body of ${status}\n${yaml.trimEnd()}`),
    ];
  });
  if (pieces.length === 0) return undefined;
  return {
    ...note('The schemas of the bodies are in the attached file schemas.yaml.'),
    files: [
      { name: 'schemas.yaml', title: 'Schemas of the bodies', content: visibleInFile(`${pieces.join('\n---\n')}\n`) },
    ],
  };
}

export function guardianMessage(title: Words, guardian: Guardian, reader: Reader): Message {
  const { configuration, endpoints } = guardian;
  return message(
    title,
    ...configurationParts(configuration, reader),
    endpointTable(endpoints, reader),
    schemaFile(endpoints),
  );
}

/** The platform may accept an upload without a word. */
export const uploadMessage = (title: Words, { answer }: Done<Guardian>, reader: Reader): Message =>
  answer === undefined ? message(title) : guardianMessage(title, answer, reader);
