import { toMinute } from '../model/calendar.ts';
import type { Model, Zone } from '../model.ts';

/** A pull zone as far as it is documented (platform.md 6); nothing secret is in it. */
export function zoneObject(zone: Zone) {
  return {
    Id: zone.id,
    Name: zone.name,
    OriginUrl: `https://${zone.originHost}`,
    Enabled: true,
    Suspended: false,
    EnableLogging: true,
    EnableExtendedLogging: false,
    EnableOriginShield: false,
    EnableSafeHop: false,
    OptimizerEnabled: false,
    MonthlyBandwidthUsed: Math.round(zone.rate * zone.bytes * 43_200),
    MonthlyCharges: 0,
    MagicContainersAppId: null,
    EdgeScriptId: null,
    Hostnames: [
      {
        Id: zone.id + 1,
        Value: zone.host,
        ForceSSL: false,
        IsSystemHostname: true,
        IsManagedHostname: false,
        HasCertificate: true,
        CertificateProvisionType: 4,
      },
    ],
  };
}

/** `GET /pullzone`: page 0 is a plain array of all, later pages have an envelope. */
export function zoneListAnswer(model: Model, params: URLSearchParams, now: number): { status: number; body: unknown } {
  const page = Number(params.get('page') ?? 0);
  const perPage = Number(params.get('perPage') ?? 1000);
  const isWhole = Number.isInteger(page) && page >= 0 && Number.isInteger(perPage);
  if (!isWhole || perPage < 5 || perPage > 1000) {
    return { status: 400, body: { ErrorKey: 'validation_error', Field: 'page', Message: 'The page is not valid.' } };
  }
  const search = params.get('search')?.toLowerCase() ?? '';
  const zones = model.zones
    .filter(({ name, bornAt }) => name.includes(search) && (bornAt === undefined || bornAt <= toMinute(now)))
    .map(zoneObject);
  if (page === 0) return { status: 200, body: zones };
  const Items = zones.slice((page - 1) * perPage, page * perPage);
  return {
    status: 200,
    body: { Items, CurrentPage: page, TotalItems: zones.length, HasMoreItems: page * perPage < zones.length },
  };
}
