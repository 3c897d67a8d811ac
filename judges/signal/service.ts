import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MINUTE_MS } from './model/calendar.ts';
import { createModel, type DayLabel, type Label, type Model, type Zone } from './model.ts';
import { type Week, weekOf } from './seeds.ts';
import { type Fault, type Lags, type ServiceName, type View, viewOf } from './service/faults.ts';
import type { OriginOrder } from './service/origin-log.ts';
import { answer } from './service/routes.ts';

export interface ServiceOptions {
  /** What `AccessKey` must be. */
  key?: string;
  port?: number;
  /** Minutes until something is shown. */
  lags?: Partial<Lags>;
  /** What a chart has for an hour that is not counted yet: a zero looks like silence. */
  lagShows?: 'zero' | 'absent';
  /** The order of the origin error log is not documented. */
  originOrder?: OriginOrder;
  /** More entries than these the origin error log does not give; it says `hasMoreData`. */
  originMost?: number;
  /** The documented 30 requests in 10 seconds a zone; off for drivers whose clock does not move while they wait. */
  isRateLimited?: boolean;
  faults?: readonly Fault[];
  /** A smaller or shorter account, for tests. */
  zones?: number;
  days?: number;
}

/** Everything that a request is answered from. */
export interface Context {
  model: Model;
  options: Required<Pick<ServiceOptions, 'key' | 'lagShows' | 'originOrder' | 'originMost' | 'isRateLimited'>>;
  now: () => number;
  viewOf: (service: ServiceName, zone: Zone | undefined) => View;
  /** Times of the last requests to the logging service, by zone. */
  asked: Map<number, number[]>;
}

export interface Clock {
  now: () => number;
  /** Moves the platform's time on. Nothing happens by itself: what is asked next is answered as of then. */
  advance: (ms: number) => void;
}

export interface Running {
  /** The one address of the management API, the origin error log and the access log. */
  url: string;
  clock: Clock;
  model: Model;
  labels: () => Label[];
  dayLabels: () => DayLabel[];
  faults: Fault[];
  /** The first moment at which a source that is read shows the incident; delays count from here. */
  shownAt: (label: Label) => number;
  /** Requests so far, by service. */
  requests: Record<ServiceName, number>;
  close: () => Promise<void>;
}

const SOURCES: readonly ServiceName[] = ['logs', 'statistics'];

function sourcesOf(label: Label): readonly ServiceName[] {
  return label.kind === 'slow origin' ? ['statistics'] : SOURCES;
}

/** Looks minute by minute: faults begin and end, and a refused service shows nothing. */
function findShownAt(label: Label, zones: readonly Zone[], faults: readonly Fault[], lags: Lags): number {
  const zone = zones.find(({ name }) => name === label.zones[0])!;
  const latest = label.firstSeen + 48 * 60 * MINUTE_MS;
  for (let now = label.firstSeen; now < latest; now += MINUTE_MS) {
    for (const service of sourcesOf(label)) {
      const view = viewOf(faults, lags, { service, zone: zone.id, now });
      const isLateDay = view.lateDays.some(({ start, end }) => label.firstSeen >= start && label.firstSeen < end);
      if (view.refusal === undefined && !isLateDay && view.until >= label.firstSeen) return now;
    }
  }
  return latest;
}

async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts the platform of a seed's week. The clock stands at `from`, which is where the judged week begins. */
export async function start(service: ServiceOptions, seed: Week | number, from?: Date): Promise<Running> {
  const week = weekOf(seed, from);
  const model = createModel({
    ...week,
    ...(service.zones !== undefined && { zones: service.zones }),
    ...(service.days !== undefined && { days: service.days }),
  });
  const faults = [...(service.faults ?? [])];
  const lags: Lags = { statistics: 0, logs: 0, origin: 0, zones: 0, ...service.lags };
  let now = model.from;
  const requests: Record<ServiceName, number> = { statistics: 0, logs: 0, origin: 0, zones: 0 };
  const context: Context = {
    model,
    options: {
      key: service.key ?? 'judge-key',
      lagShows: service.lagShows ?? 'zero',
      originOrder: service.originOrder ?? 'asc',
      originMost: service.originMost ?? Number.POSITIVE_INFINITY,
      isRateLimited: service.isRateLimited ?? true,
    },
    now: () => now,
    viewOf: (name, zone) => viewOf(faults, lags, { service: name, zone: zone?.id, now }),
    asked: new Map(),
  };
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    answer(context, request, response, (name) => {
      requests[name]++;
    }).catch((error: unknown) => {
      // A fault of the judge must not pass for a fault of the platform.
      response.destroy(error as Error);
      console.error(error);
    });
  });
  const url = await listen(server, service.port ?? 0);
  return {
    url,
    clock: {
      now: () => now,
      advance: (ms) => {
        now += ms;
      },
    },
    model,
    labels: model.labels,
    dayLabels: model.dayLabels,
    faults,
    shownAt: (label) => findShownAt(label, model.zones, faults, lags),
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
