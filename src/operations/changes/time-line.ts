import { shorten } from '../../blocks/limits.ts';
import { bold, code, join, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import type { Changed, MadeElsewhere, ReadTimeLine } from '../../changed.ts';
import type { AuditField } from '../../platform/audit-diff.ts';
import type { EdgeScript } from '../../platform/resources/edge-scripts.ts';
import type { PullZone } from '../../platform/resources/pull-zones.ts';
import type { ShieldZoneMapping } from '../../platform/resources/shield-zones.ts';
import type { UserAuditEntry } from '../../platform/resources/user-audit.ts';
import { HIDDEN } from '../../secret.ts';
import type { AuditQuery, StoredAuditEntry } from '../../store/audit-entry.ts';
import type { Mark, MarksQuery } from '../../store/marks.ts';
import { HOUR, MINUTE } from '../../time.ts';
import { nameWithId } from '../arguments/resources/look-up.ts';
import { zonesWith } from '../arguments/resources/zones.ts';
import type { Catalogue } from '../catalogue.ts';
import { lineOf } from '../grammar.ts';
import { isLinked, scriptsOn } from '../linked-scripts.ts';
import type { AnyOperation, Logged, StatedChange } from '../operation.ts';
import { reasonOf, tried } from '../unreadable.ts';
import type { Elsewhere } from './elsewhere.ts';
import { matched, TOLERANCE } from './match.ts';

export interface TimeLineServices {
  operations: readonly AnyOperation[];
  audit: { list(query: AuditQuery): Promise<StoredAuditEntry[]> };
  marks: { list(query: MarksQuery): Promise<Mark[]> };
  catalogue: Pick<Catalogue, 'zones' | 'shieldZones' | 'scripts'>;
  elsewhere: Pick<Elsewhere, 'read'>;
  now: () => Date;
}

/** Changes of the bot in all zones, to match them. */
const MOST = 1_000;
const MOST_MARKS = 200;
const MOST_FIELDS = 3;
const REFUSED = 'the platform does not let this key read its audit';
/** In milliseconds. An entry that is not there by then is missing. */
const OVERDUE = 15 * MINUTE;

export function createTimeLine(services: TimeLineServices): ReadTimeLine {
  const { operations, audit, marks, elsewhere, now } = services;
  const changes = operations.filter(({ effect }) => effect !== 'read').map(({ name }) => name);
  return async ({ zone, from, to }) => {
    const asked = await tried(elsewhere.read(from));
    const read = 'value' in asked ? asked.value : undefined;
    const failure = 'value' in asked ? undefined : asked.failure;
    const since = read !== undefined ? Math.min(read.from.getTime(), from.getTime()) - TOLERANCE : from.getTime();
    const own = await audit.list({ changes, since: new Date(since), limit: MOST });
    // The store’s clock may be ahead.
    const until = to ?? new Date(now().getTime() + HOUR);
    const marked = await marks.list({ zone, since: from, until, limit: MOST_MARKS });
    const { entries = [], isCut = false } = read ?? {};
    const logged = await loggedOf(services, entries);
    const all = logged.map((one) => ({ one, ...asCommand(operations, one) }));
    const { ours, actor } = matched(
      own.map(({ at, operation, target, preview }) => ({ at: at.getTime(), operation, target, after: preview?.after })),
      all.map(({ one, operation, as }) => ({
        at: one.entry.at.getTime(),
        actor: actorOf(one.entry),
        names: namesOf(one),
        as: as && { operation: operation!.name, target: as.target, after: as.after },
      })),
    );
    const found = new Set(ours.values());
    const isMissing = ({ operation, outcome, at }: StoredAuditEntry, index: number) =>
      read !== undefined &&
      !isCut &&
      !found.has(index) &&
      outcome === 'done' &&
      at >= read.from &&
      now().getTime() - at.getTime() > OVERDUE &&
      operations.find(({ name }) => name === operation)?.elsewhere !== undefined;
    const scripts = zone !== undefined && own.length > 0 ? await scriptsOn(zone, services.catalogue) : [];
    const ofZone = [zone, ...scripts.map(({ Id }) => Id)].map((id) => `(${id})`);
    const isAsked = ({ at }: { at: Date }) => at >= from && at < until;
    const line: Changed[] = [
      ...marked.map((mark) => ({ by: 'mark' as const, at: mark.at, mark })),
      ...own.flatMap((entry, index): Changed[] => {
        const isOf = zone === undefined || ofZone.some((name) => entry.target.includes(name));
        return isAsked(entry) && isOf ? [{ by: 'bot', at: entry.at, entry, isMissing: isMissing(entry, index) }] : [];
      }),
      ...all.flatMap(({ one, operation, as }, index): Changed[] => {
        const isOf = zone === undefined || one.zones.some(({ Id }) => Id === zone);
        if (ours.has(index) || !isAsked(one.entry) || !isOf) return [];
        return [madeElsewhere(one, operation, as, actor)];
      }),
    ];
    return {
      changes: line.sort((one, other) => other.at.getTime() - one.at.getTime()),
      isCut: isCut || own.length === MOST || marked.length === MOST_MARKS,
      failure,
      unread: (failure && reasonOf(failure)) ?? (read === undefined ? REFUSED : undefined),
    };
  };
}

const isScript = ({ Product = '', ResourceType = '' }: UserAuditEntry) => /script/i.test(`${Product} ${ResourceType}`);

async function loggedOf({ catalogue }: TimeLineServices, entries: readonly UserAuditEntry[]): Promise<Logged[]> {
  if (entries.length === 0) return [];
  const isShield = ({ Product = '', ResourceType = '' }: UserAuditEntry) =>
    /shield/i.test(`${Product} ${ResourceType}`);
  const [zones, shields, scripts] = await Promise.all([
    catalogue.zones(),
    entries.some(isShield) ? catalogue.shieldZones() : { items: [] },
    entries.some(isScript) ? catalogue.scripts() : { items: [] },
  ]);
  return entries.map((entry) => {
    const field = (name: RegExp) => entry.fields.find((one) => name.test(one.field));
    const shieldZoneId = isShield(entry) ? Number(entry.ResourceId) || undefined : undefined;
    const script = isScript(entry) ? scripts.items.find(({ Id }) => String(Id) === entry.ResourceId) : undefined;
    return { entry, field, shieldZoneId, script, zones: zonesOf(entry, field, zones.items, shields.items, script) };
  });
}

function zonesOf(
  { Product = '', ResourceType = '', ResourceId }: UserAuditEntry,
  field: Logged['field'],
  zones: readonly PullZone[],
  shields: readonly ShieldZoneMapping[],
  script: EdgeScript | undefined,
): readonly PullZone[] {
  const is = (shape: RegExp) => shape.test(`${Product} ${ResourceType}`);
  const withId = (id: unknown) => zones.filter(({ Id }) => id !== undefined && String(Id) === String(id));
  if (is(/shield/i)) return withId(shields.find(({ shieldZoneId }) => String(shieldZoneId) === ResourceId)?.pullZoneId);
  if (is(/script/i))
    return zones.filter((zone) => String(zone.EdgeScriptId) === ResourceId || (script && isLinked(script, zone)));
  if (is(/container|\bapp/i))
    return zones.filter(({ MagicContainersAppId }) => MagicContainersAppId && MagicContainersAppId === ResourceId);
  const named = is(/pull|cdn/i) ? withId(ResourceId) : [];
  if (named.length > 0) return named;
  const said = field(/(?:^|\.)(?:url|host_?name)$/i)?.after ?? '';
  const host = URL.canParse(said) ? new URL(said).hostname : said;
  return host === '' || !is(/pull|cdn|host|certificate/i) ? [] : zonesWith(zones, host, false);
}

/** The command that makes the same change. */
function asCommand(
  operations: readonly AnyOperation[],
  logged: Logged,
): { operation?: AnyOperation; as?: StatedChange } {
  for (const operation of operations) {
    const as = operation.elsewhere?.(logged);
    if (as !== undefined) return { operation, as };
  }
  return {};
}

const actorOf = ({ ActorType, ActorId }: UserAuditEntry) =>
  ActorId === undefined ? undefined : `${ActorType} ${ActorId}`;

/** As `target` of an operation names it. */
const namesOf = ({ entry: { ResourceId }, zones, shieldZoneId }: Logged): string[] => [
  ...zones.map(({ Id }) => `(${Id})`),
  ...(shieldZoneId === undefined ? [] : [`shield zone ${shieldZoneId}`]),
  ...(ResourceId === undefined ? [] : [`(${ResourceId})`]),
];

function madeElsewhere(
  { entry, zones }: Logged,
  operation: AnyOperation | undefined,
  as: StatedChange | undefined,
  key: string | undefined,
): MadeElsewhere {
  const { ActorType, ActorId, ResourceType, ResourceId, Product } = entry;
  const isKey = key !== undefined && actorOf(entry) === key;
  const id = [ActorType, ActorId].filter((word) => word !== undefined).join(' ');
  const who = bold(isKey ? 'Somebody with Edgewise’s key' : 'Somebody else');
  const [zone] = zones;
  const kind = ResourceType ?? Product ?? 'something';
  const thing = zone === undefined ? `${kind}${ResourceId === undefined ? '' : ` ${ResourceId}`}` : nameWithId(zone);
  return {
    by: 'somebody else',
    at: entry.at,
    key: JSON.stringify(entry),
    zones: zones.map(({ Id }) => Id),
    actor: id === '' ? who : mrkdwn`${who} (${code(id)})`,
    done: (as && operation?.words?.(as).done) ?? plainly(entry, thing),
    thing,
    back: as && operation && backOf(operation, as),
  };
}

function backOf(operation: AnyOperation, as: StatedChange): MadeElsewhere['back'] {
  const { before, after, given } = as;
  if (before === undefined || operation.undo === undefined) return undefined;
  const back = { ...given, ...operation.undo({ before, after }, given) };
  return { line: lineOf(operation, back), of: `${operation.name} ${as.target}` };
}

/** `changed shop (1001) (Update): OriginUrl a → b` */
function plainly({ Action, fields }: UserAuditEntry, thing: string): Words {
  const verb = /delete|remove/i.test(Action ?? '') ? 'deleted' : /create/i.test(Action ?? '') ? 'created' : 'changed';
  const more = fields.length - MOST_FIELDS;
  const said = [...fields.slice(0, MOST_FIELDS).map(fieldInWords), ...(more > 0 ? [`${more} more`] : [])];
  const action = Action === undefined ? '' : mrkdwn` by ${code(shorten(Action, 60))}`;
  return mrkdwn`${verb} ${code(shorten(thing, 120))}${action}${said.length === 0 ? '' : mrkdwn`: ${join(said, '; ')}`}`;
}

function fieldInWords({ field, before, after }: AuditField): Words {
  const side = (value: string | null | undefined) =>
    value === null || value === '' ? 'none' : code(shorten(value ?? '', 80));
  if (before === HIDDEN || after === HIDDEN) return mrkdwn`${code(shorten(field, 60))} (not shown)`;
  const name = field === '' ? '' : mrkdwn`${code(shorten(field, 60))} `;
  return before === undefined ? mrkdwn`${name}${side(after)}` : mrkdwn`${name}${side(before)} → ${side(after)}`;
}
