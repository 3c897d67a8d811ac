import { count, dayAndTimeOf, yesNo } from '../../blocks/format.ts';
import { fields, type Message, message, note, type Part } from '../../blocks/message.ts';
import { bold, code, visibleInFile, type Words } from '../../blocks/mrkdwn.ts';
import { numberCell, right, table } from '../../blocks/table.ts';
import { EXECUTION_MODES, type Labels, labelOf } from '../../platform/enums.ts';
import type { Guardian, GuardianEndpoint, GuardianParameters } from '../../platform/resources/shield-zones.ts';
import type { Reader } from '../context.ts';

const enumWords = (labels: Labels, value: number | undefined) =>
  value === undefined ? undefined : bold(labelOf(labels, value));

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

/** Too long for a cell: one file for all endpoints. */
function schemaFile(endpoints: readonly GuardianEndpoint[]): Part | undefined {
  const pieces = endpoints.flatMap((endpoint) => {
    const name = `${endpoint.requestMethod ?? ''} ${endpoint.requestPath ?? ''}`.trim();
    const bodies = Object.entries(endpoint.responseBodySchemasYaml ?? {});
    return [
      ['request body', endpoint.requestBodySchemaYaml] as const,
      ...bodies.map(([status, yaml]) => [`response body of ${status}`, yaml] as const),
    ].flatMap(([what, yaml]) => (typeof yaml === 'string' ? `# ${name}: ${what}\n${yaml.trimEnd()}` : []));
  });
  if (pieces.length === 0) return undefined;
  return {
    ...note('The schemas of the bodies are in the attached file schemas.yaml.'),
    files: [
      { name: 'schemas.yaml', title: 'Schemas of the bodies', content: visibleInFile(`${pieces.join('\n---\n')}\n`) },
    ],
  };
}

export function guardianMessage(title: Words, { configuration, endpoints }: Guardian, reader: Reader): Message {
  const { shieldZoneId, createdAt, updatedAt } = configuration;
  // Source: docs/platform.md, Guardian modes.
  const guards = { 0: 'Block', 1: 'Log', 2: 'Ignore' };
  const dates = [
    createdAt && `created ${dayAndTimeOf(createdAt, reader)}`,
    updatedAt && `updated ${dayAndTimeOf(updatedAt, reader)}`,
  ].filter(Boolean);
  const limit = (label: string, most: number | undefined) => [label, numberCell(most, count, reader)];
  return message(
    title,
    fields([
      ['Title', configuration.title],
      ['Version', configuration.version],
      ['Shield zone', shieldZoneId === undefined ? undefined : code(shieldZoneId)],
      ['Enabled', yesNo(configuration.isEnabled)],
      ['Execution mode', enumWords(EXECUTION_MODES, configuration.executionMode)],
      ['Body over the limit', enumWords(guards, configuration.bodyLimitAction)],
      ['Unknown path', enumWords(guards, configuration.unmatchedPathAction)],
    ]),
    dates.length > 0 && note(`The configuration was ${dates.join(', ')}.`),
    table({
      caption: 'Limits',
      columns: ['Of', right('At most')],
      rows: [
        limit('Endpoints', configuration.maxEndpoints),
        limit('Fields per type', configuration.maxFieldsPerType),
        limit('Nesting depth', configuration.maxNestingDepth),
        limit('Schema nodes in all', configuration.maxTotalSchemaNodes),
        limit('Length of patterns in all', configuration.maxTotalRegexLength),
      ],
    }),
    table({
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
    }),
    schemaFile(endpoints),
  );
}
