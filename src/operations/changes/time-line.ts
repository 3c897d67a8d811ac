import { createHash } from 'node:crypto';
import { commandButton } from '../../blocks/buttons.ts';
import { shorten } from '../../blocks/limits.ts';
import { bold, code, join, link, mrkdwn, type Words } from '../../blocks/mrkdwn.ts';
import type { Changed, MadeElsewhere, ReadTimeLine } from '../../changed.ts';
import type { AuditField } from '../../platform/audit-diff.ts';
import type { UserAuditEntry } from '../../platform/resources/user-audit.ts';
import { HIDDEN } from '../../secret.ts';
import type { StoredAuditEntry } from '../../store/audit-entry.ts';
import type { Store } from '../../store/store.ts';
import { HOUR, MINUTE } from '../../time.ts';
import { hostOf, nameWithId } from '../arguments/resources/look-up.ts';
import { zonesWith } from '../arguments/resources/zones.ts';
import type { Catalogue } from '../catalogue.ts';
import { lineOf } from '../grammar.ts';
import { isLinked, scriptsOn } from '../linked-scripts.ts';
import type { AnyOperation } from '../operation.ts';
import { reasonOf, tried } from '../unreadable.ts';
import type { Elsewhere } from './elsewhere.ts';
import { matched, TOLERANCE } from './match.ts';

export interface TimeLineServices {
  operations: readonly AnyOperation[];
  audit: Pick<Store['audit'], 'list'>;
  marks: Pick<Store['marks'], 'list'>;
  catalogue: Pick<Catalogue, 'zones' | 'shieldZones' | 'scripts'>;
  elsewhere: Pick<Elsewhere, 'read'>;
  now: () => Date;
}

/** How many changes of the bot are read, in all zones, to match them; and how many marks. */
const MOST = 1_000;

const SHIELD = /shield/i;
const SCRIPT = /script/i;

type Read = Awaited<ReturnType<typeof loggedOf>>[number];

export function createTimeLine(services: TimeLineServices): ReadTimeLine {
  const { operations, audit, marks, catalogue, elsewhere, now } = services;
  const isRead = (name: string) => operations.find((one) => one.name === name)?.effect === 'read';
  const changes = operations.filter(({ name, makesToken }) => makesToken || !isRead(name)).map(({ name }) => name);
  return async ({ zone, from, to }) => {
    const asked = await tried(elsewhere.read(from));
    const { read, failure } = 'value' in asked ? { read: asked.value } : { failure: asked.failure };
    const since = new Date((read?.from ?? from).getTime() - TOLERANCE);
    const own = await audit.list({ changes, since, limit: MOST });
    // The store’s clock may be ahead.
    const until = to ?? new Date(now().getTime() + HOUR);
    const marked = await marks.list({ zone, since: from, until, limit: MOST });
    const isAsked = ({ at }: { at: Date }) => at >= from && at < until;
    const entries = read?.entries ?? [];
    // Where nothing was changed, nothing more is asked of the platform.
    const logged = [...entries, ...own].some(isAsked) ? await loggedOf(services, entries) : [];
    const { ours, actor } = matched(own, logged);
    const found = new Set(ours.values());
    const isMissing = (entry: StoredAuditEntry) =>
      read?.isCut === false &&
      !found.has(entry) &&
      entry.outcome === 'done' &&
      now().getTime() - entry.at.getTime() > 15 * MINUTE &&
      operations.find(({ name }) => name === entry.operation)?.elsewhere !== undefined;
    const scripts = zone !== undefined && own.some(isAsked) ? await scriptsOn(zone, catalogue) : [];
    const names = [zone, ...scripts.map(({ Id }) => Id)].map((id) => `(${id})`);
    const isOwn = ({ target }: StoredAuditEntry) => zone === undefined || names.some((name) => target.includes(name));
    const isOfZone = ({ zones }: Read) => zone === undefined || zones.some(({ Id }) => Id === zone);
    const line: Changed[] = [
      ...marked.map(({ at, text, zone: of, url }) => {
        const where = url === null ? '' : mrkdwn` (${link(url, new URL(url).host)})`;
        const words = mrkdwn`${shorten(text, 200)}${where}`;
        return { by: 'mark' as const, at, zones: of === null ? [] : [of], words };
      }),
      ...own
        .filter((entry) => isAsked(entry) && isOwn(entry) && !isRead(entry.operation))
        .map((entry) => {
          const zones = [Number(/\((\d+)\)/.exec(entry.target)?.[1])];
          return { by: 'bot' as const, at: entry.at, zones, entry, isMissing: isMissing(entry) };
        }),
      ...logged
        .filter((one) => !ours.has(one) && isAsked(one) && isOfZone(one))
        .map((one) => madeElsewhere(one, actor)),
    ];
    return {
      changes: line.sort((one, other) => other.at.getTime() - one.at.getTime()),
      isCut: read?.isCut === true || own.length === MOST || marked.length === MOST,
      failure,
      unread:
        (failure && reasonOf(failure)) ?? (read ? undefined : 'the platform does not let this key read its audit'),
    };
  };
}

const isOf = ({ Product = '', ResourceType = '' }: UserAuditEntry, kind: RegExp) =>
  kind.test(`${Product} ${ResourceType}`);

async function loggedOf({ operations, catalogue }: TimeLineServices, entries: readonly UserAuditEntry[]) {
  const has = (kind: RegExp) => entries.some((entry) => isOf(entry, kind));
  const [{ items: all }, shields, scripts] = await Promise.all([
    catalogue.zones(),
    has(SHIELD) ? catalogue.shieldZones() : { items: [] },
    has(SCRIPT) ? catalogue.scripts() : { items: [] },
  ]);
  return entries.map((entry) => {
    const { ResourceId, ActorType, ActorId } = entry;
    const is = (id: unknown) => ResourceId !== undefined && String(id) === ResourceId;
    const field = (name: RegExp) => entry.fields.find((one) => name.test(one.field));
    const shieldZoneId = isOf(entry, SHIELD) ? Number(ResourceId) || undefined : undefined;
    const script = isOf(entry, SCRIPT) ? scripts.items.find(({ Id }) => is(Id)) : undefined;
    const zonesOf = () => {
      if (isOf(entry, SHIELD))
        return all.filter(({ Id }) => shields.items.some((one) => one.pullZoneId === Id && is(one.shieldZoneId)));
      if (isOf(entry, SCRIPT)) return all.filter((zone) => is(zone.EdgeScriptId) || (script && isLinked(script, zone)));
      if (isOf(entry, /container|\bapp/i)) return all.filter(({ MagicContainersAppId }) => is(MagicContainersAppId));
      const named = isOf(entry, /pull|cdn/i) ? all.filter(({ Id }) => is(Id)) : [];
      const said =
        named.length === 0 && isOf(entry, /pull|cdn|host|certificate/i) && field(/(?:^|\.)(?:url|host_?name)$/i)?.after;
      return said ? zonesWith(all, hostOf(said), false) : named;
    };
    const logged = { entry, field, shieldZoneId, script, zones: zonesOf() };
    /** The command that makes the same change. */
    const [as] = operations.flatMap((command) => {
      const change = command.elsewhere?.(logged);
      return change === undefined ? [] : [{ ...change, operation: command.name, command }];
    });
    const names = [
      ...logged.zones.map(({ Id }) => `(${Id})`),
      ...(shieldZoneId === undefined ? [] : [`shield zone ${shieldZoneId}`]),
      ...(ResourceId === undefined ? [] : [`(${ResourceId})`]),
    ];
    return { ...logged, at: entry.at, actor: ActorId && [ActorType, ActorId].join(' ').trim(), names, as };
  });
}

function madeElsewhere({ entry, zones, actor, as }: Read, key: string | undefined): MadeElsewhere {
  const { ResourceType, ResourceId = '', Product } = entry;
  const who = bold(actor !== undefined && actor === key ? 'Somebody with Edgewise’s key' : 'Somebody else');
  const thing = zones[0] ? nameWithId(zones[0]) : `${ResourceType ?? Product ?? 'something'} ${ResourceId}`.trim();
  return {
    by: 'somebody else',
    at: entry.at,
    key: createHash('sha256').update(JSON.stringify(entry)).digest('base64url').slice(0, 10),
    zones: zones.map(({ Id }) => Id),
    actor: actor === undefined ? who : mrkdwn`${who} (${code(actor)})`,
    done: as?.command.words?.(as).done ?? plainly(entry, thing),
    operation: as?.operation,
    back: as && backOf(as),
  };
}

function backOf({ command, given, before, after }: NonNullable<Read['as']>): MadeElsewhere['back'] {
  if (before === undefined || command.undo === undefined) return undefined;
  return commandButton('Put back', lineOf(command, { ...given, ...command.undo({ before, after }, given) }));
}

/** `changed shop (1001) (Update): OriginUrl a → b` */
function plainly({ Action, fields }: UserAuditEntry, thing: string): Words {
  const verb = /delete|remove/i.test(Action ?? '') ? 'deleted' : /create/i.test(Action ?? '') ? 'created' : 'changed';
  const more = fields.length - 3;
  const said = [...fields.slice(0, 3).map(fieldInWords), ...(more > 0 ? [`${more} more`] : [])];
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
