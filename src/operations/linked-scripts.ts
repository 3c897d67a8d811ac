import type { EdgeScript } from '../platform/resources/edge-scripts.ts';
import type { PullZone } from '../platform/resources/pull-zones.ts';
import { maySeeZone } from './arguments/resources/zones.ts';
import type { Catalogue } from './catalogue.ts';
import type { Context } from './context.ts';

/** The zones that a script answers. Those that the person may not see go by id. */
export const zoneNames = (script: Partial<EdgeScript>, context: Pick<Context, 'policy'>): string[] =>
  (script.LinkedPullZones ?? []).map(({ Id, PullZoneName: Name }) =>
    Name !== undefined && maySeeZone({ Id, Name }, context) ? Name : String(Id),
  );

export const isLinked = ({ Id, LinkedPullZones }: EdgeScript, zone: PullZone): boolean =>
  zone.EdgeScriptId === Id || LinkedPullZones.some((linked) => linked.Id === zone.Id);

export async function scriptsOn(zone: number, catalogue: Pick<Catalogue, 'zones' | 'scripts'>): Promise<EdgeScript[]> {
  const listed = (await catalogue.zones()).items.find(({ Id }) => Id === zone);
  if (listed === undefined) return [];
  return (await catalogue.scripts()).items.filter((script) => isLinked(script, listed));
}
