import type { EdgeScript } from '../platform/resources/edge-scripts.ts';
import type { PullZone } from '../platform/resources/pull-zones.ts';
import type { Catalogue } from './catalogue.ts';

export const isLinked = ({ Id, LinkedPullZones }: EdgeScript, zone: PullZone): boolean =>
  zone.EdgeScriptId === Id || LinkedPullZones.some((linked) => linked.Id === zone.Id);

/** The scripts that run on a zone. */
export async function scriptsOn(zone: number, catalogue: Pick<Catalogue, 'zones' | 'scripts'>): Promise<EdgeScript[]> {
  const listed = (await catalogue.zones()).items.find(({ Id }) => Id === zone);
  if (listed === undefined) return [];
  return (await catalogue.scripts()).items.filter((script) => isLinked(script, listed));
}
