import type { EdgeScript } from '../platform/resources/edge-scripts.ts';
import type { PullZone } from '../platform/resources/pull-zones.ts';
import type { Catalogue } from './catalogue.ts';

export const isLinked = ({ Id, LinkedPullZones }: EdgeScript, zone: PullZone): boolean =>
  zone.EdgeScriptId === Id || LinkedPullZones.some((linked) => linked.Id === zone.Id);

/** The scripts that run on zones, by their ids. */
export async function scriptsOn(
  zones: readonly number[],
  catalogue: Pick<Catalogue, 'zones' | 'scripts'>,
): Promise<EdgeScript[]> {
  const listed = (await catalogue.zones()).items.filter(({ Id }) => zones.includes(Id));
  const { items } = await catalogue.scripts();
  return items.filter((script) => listed.some((zone) => isLinked(script, zone)));
}
