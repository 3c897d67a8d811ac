import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { gatherPages } from '../pages.ts';
import {
  listOf,
  maybe,
  maybeBoolean,
  maybeDocument,
  maybeNumber,
  maybeString,
  numericId,
  recordsOf,
  unknownAnswer,
} from '../shapes.ts';
import { type CallOptions, endpoint, forOne, type Transport } from '../transport.ts';

/** What events are grouped by, in the platform’s names. */
export type EventField = 'ruleId' | 'ip' | 'country' | 'asn' | 'ja4' | 'action';

/** `buckets`: pieces of the window that each group is counted in. */
export interface EventSearch {
  from: Date;
  to: Date;
  groupBy: EventField;
  filter?: { field: EventField; value: string } | undefined;
  buckets?: number;
  pageSize: number;
}

const group = z.object({
  key: z.record(z.string(), z.unknown()),
  count: z.number(),
  context: maybe(z.record(z.string(), z.unknown())),
  sparkline: listOf(z.number()),
});
const groups = z.object({ groups: recordsOf(group) }).transform((answer) => answer.groups);

const accessList = z.object({
  listId: z.number(),
  configurationId: z.number(),
  name: maybeString,
  isEnabled: maybeBoolean,
  type: z.number(),
  action: maybeNumber,
  entryCount: maybeNumber,
});
const accessLists = z.object({ customLists: listOf(accessList) }).transform(({ customLists }) => customLists);
const madeList = z.object({ data: maybe(z.object({ id: z.number() })) });
const listContent = z.object({ data: z.object({ content: maybeDocument }) });

const rateLimit = z.object({
  id: z.number(),
  ruleName: maybeString,
  ruleDescription: maybeString,
  ruleConfiguration: maybe(z.object({ value: maybeString })),
});
const rateLimits = z
  .object({ data: recordsOf(rateLimit), page: maybe(z.object({ totalCount: maybeNumber })) })
  .transform(({ data, page }) => ({ Items: data, TotalItems: page?.totalCount }));

/** `key[field]` is the group’s value. */
export type EventGroup = z.output<typeof group>;
/** `type`: 1 networks, 2 their numbers, 3 countries, 5 fingerprints. `action`: 2 blocks. */
export type AccessList = z.output<typeof accessList>;
export type RateLimit = z.output<typeof rateLimit>;

/** `value`: what paths begin with. `timeframe` in seconds. */
export interface LimitRule {
  ruleName: string;
  ruleDescription: string;
  value: string;
  requestCount: number;
  timeframe: number;
}

export interface SecuritySettings {
  /** Addresses and networks that must not be kept out. */
  trusted?: readonly string[] | undefined;
  /** Without it names are not looked up. */
  resolveHost?: ((host: string) => Promise<readonly string[]>) | undefined;
}

const shieldZone = (id: number) => numericId(id, 'shield zone');
const placesOf = (id: number, list: number) => [shieldZone(id), numericId(list, 'access list')];

/** What a shield zone saw, and what it is told to keep out. */
export function createSecurity(transport: Transport, settings: SecuritySettings) {
  const { trusted = [], resolveHost = async () => [] } = settings;
  const one = forOne(transport, shieldZone);
  const change = (asked: ReturnType<typeof endpoint>, body?: object, options?: CallOptions) =>
    transport.write({ ...asked, body }, unknownAnswer, options);
  return {
    trusted,
    /** Empty: they are not known. */
    addressesOf: (host: string): Promise<readonly string[]> =>
      // Somebody waits for the answer.
      Promise.race([resolveHost(host).catch(() => []), setTimeout(2_000, [], { ref: false })]),

    async events(id: number, { from, to, filter, groupBy, buckets = 0, pageSize }: EventSearch, options?: CallOptions) {
      const filters = filter === undefined ? [] : [{ field: filter.field, op: 'eq', value: [filter.value] }];
      const window = { from: from.getTime(), to: to.getTime() };
      const asked = endpoint('POST /shield/event-logs/{shieldZoneId}/search', shieldZone(id));
      const body = { ...window, filters, groupBy: [groupBy], buckets, page: 0, pageSize };
      // It changes nothing, so it is repeated like other reads.
      return transport.read({ ...asked, body }, groups, options);
    },

    lists: one.read('GET /shield/shield-zone/{shieldZoneId}/access-lists', accessLists),

    async entries(id: number, list: number, options?: CallOptions) {
      const asked = endpoint('GET /shield/shield-zone/{shieldZoneId}/access-lists/{id}', ...placesOf(id, list));
      const { data } = await transport.read(asked, listContent, options);
      const lines = (data.content ?? '').split('\n').map((entry) => entry.trim());
      return lines.filter((entry) => entry !== '');
    },

    createList: one.send<{ name: string; type: number; content: string }, z.output<typeof madeList>>(
      'POST /shield/shield-zone/{shieldZoneId}/access-lists',
      madeList,
    ),

    async writeEntries(id: number, list: number, entries: readonly string[], options?: CallOptions) {
      const asked = endpoint('PATCH /shield/shield-zone/{shieldZoneId}/access-lists/{id}', ...placesOf(id, list));
      return change(asked, { content: entries.join('\n') }, options);
    },

    /** Switches a list on, to block. */
    async enableList(id: number, configuration: number, options?: CallOptions) {
      const path = 'PATCH /shield/shield-zone/{shieldZoneId}/access-lists/configurations/{id}';
      return change(endpoint(path, ...placesOf(id, configuration)), { isEnabled: true, action: 2 }, options);
    },

    async deleteList(id: number, list: number, options?: CallOptions) {
      const asked = endpoint('DELETE /shield/shield-zone/{shieldZoneId}/access-lists/{id}', ...placesOf(id, list));
      return change(asked, undefined, options);
    },

    async limits(id: number, options?: CallOptions) {
      const asked = endpoint('GET /shield/rate-limits/{shieldZoneId}', shieldZone(id));
      const fetchPage = (page: number, reach: CallOptions) =>
        transport.read({ ...asked, query: { page, perPage: 100 } }, rateLimits, reach);
      return (await gatherPages((limit: RateLimit) => limit.id, fetchPage, options)).items;
    },

    /** For each address, on all paths that begin with `value`. */
    async addLimit(shieldZoneId: number, { ruleName, ruleDescription, ...rule }: LimitRule, options?: CallOptions) {
      // It blocks (1) for a minute, by what the address begins with (0), counting addresses (0).
      const how = {
        actionType: 1,
        variableTypes: { REQUEST_URI: '' },
        operatorType: 0,
        severityType: 0,
        blockTime: 60,
      };
      const none = { counterKeyType: 0, transformationTypes: [], chainedRuleConditions: [] };
      const body = { shieldZoneId, ruleName, ruleDescription, ruleConfiguration: { ...how, ...none, ...rule } };
      return change(endpoint('POST /shield/rate-limit'), body, options);
    },

    removeLimit: async (limit: number, options?: CallOptions) =>
      change(endpoint('DELETE /shield/rate-limit/{id}', numericId(limit, 'rate limit')), undefined, options),

    /** Makes a shield zone that challenges everybody, for a pull zone that has none. */
    underAttack: (pullZoneId: number, options?: CallOptions) =>
      change(endpoint('POST /shield/shield-zone/under-attack'), { pullZoneId, planType: 0 }, options),

    setSensitivity: (shieldZoneId: number, dDoSShieldSensitivity: number, options?: CallOptions) =>
      change(endpoint('PATCH /shield/shield-zone'), { shieldZoneId, shieldZone: { dDoSShieldSensitivity } }, options),
  };
}
