import { isGoingOn, readIncidents } from './incident.ts';
import type { Taken } from './incident-message.ts';
import type { ReportServices } from './services.ts';

const TAKEN = 'taken';
const MOST = 20;

type Services = Pick<ReportServices, 'anchors'>;

/** By the message of the incident. */
type All = Readonly<Record<string, Taken>>;

async function readAll({ anchors }: Services, subscription: number): Promise<All> {
  return JSON.parse((await anchors.read(subscription, TAKEN))?.content ?? '{}');
}

export const readTaken = async (services: Services, subscription: number, ts: string): Promise<Taken | undefined> =>
  (await readAll(services, subscription))[ts];

/** Of that message; without, the newest incident. Undefined: there is none. */
export async function takeIncident(
  services: Services & Pick<ReportServices, 'ledger'>,
  subscription: number,
  by: string,
  shown?: string,
): Promise<{ ts: string; taken: Taken; isNew: boolean } | undefined> {
  const open = (await readIncidents(services, subscription)).filter(isGoingOn);
  const ts = (shown === undefined ? open[0] : open.find((one) => one.ts === shown))?.ts;
  if (ts === undefined) return undefined;
  const all = await readAll(services, subscription);
  if (all[ts] !== undefined) return { ts, taken: all[ts], isNew: false };
  const taken = { by, at: (await services.ledger.now()).getTime() };
  const content = JSON.stringify(Object.fromEntries([...Object.entries(all), [ts, taken]].slice(-MOST)));
  await services.anchors.set(subscription, TAKEN, { ts: '', content });
  return { ts, taken, isNew: true };
}
