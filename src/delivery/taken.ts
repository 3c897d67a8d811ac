import { type Incident, readIncident } from './incident.ts';
import type { Taken } from './incident-message.ts';
import type { ReportServices } from './services.ts';

const TAKEN = 'taken';

type Services = Pick<ReportServices, 'anchors'>;

/** Of an earlier incident: undefined. */
export async function readTaken(
  { anchors }: Services,
  subscription: number,
  { from }: Pick<Incident, 'from'>,
): Promise<Taken | undefined> {
  const anchor = await anchors.read(subscription, TAKEN);
  const taken: Taken | undefined = anchor === undefined ? undefined : JSON.parse(anchor.content);
  return taken !== undefined && taken.at >= from.getTime() ? taken : undefined;
}

/** `before`: who was on it already. Undefined: there is no incident. */
export async function takeIncident(
  services: Services & Pick<ReportServices, 'ledger'>,
  subscription: number,
  by: string,
): Promise<{ ts: string; taken: Taken; isNew: boolean } | undefined> {
  const incident = await readIncident(services, subscription);
  if (incident === undefined) return undefined;
  const before = await readTaken(services, subscription, incident);
  const taken = before ?? { by, at: (await services.ledger.now()).getTime() };
  if (before === undefined) await services.anchors.set(subscription, TAKEN, { ts: '', content: JSON.stringify(taken) });
  return { ts: incident.ts, taken, isNew: before === undefined };
}
