import { z } from 'zod';
import { gatherPages } from '../pages.ts';
import {
  type Done,
  type Listed,
  listOf,
  maybe,
  maybeBoolean,
  maybeNumber,
  maybeString,
  numericId,
  shortText,
  unknownAnswer,
} from '../shapes.ts';
import { type CallOptions, endpoint, type Transport } from '../transport.ts';

/** An address without the user and password that it may hold. */
const withoutCredentials = (url: string) => url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1');

// The hostname's certificate and its private key are not in this list: they never leave the parser.
const hostname = z.object({
  Id: maybeNumber,
  Value: shortText,
  ForceSSL: maybeBoolean,
  IsSystemHostname: maybeBoolean,
  IsManagedHostname: maybeBoolean,
  HasCertificate: maybeBoolean,
  CertificateProvisionType: maybeNumber,
});

// Nor are the zone's security, signing and log forwarding keys.
const pullZone = z.object({
  Id: z.number(),
  Name: maybeString,
  OriginUrl: maybe(shortText.transform(withoutCredentials)),
  Enabled: maybeBoolean,
  Suspended: maybeBoolean,
  EnableLogging: maybeBoolean,
  EnableExtendedLogging: maybeBoolean,
  EnableOriginShield: maybeBoolean,
  EnableSafeHop: maybeBoolean,
  OptimizerEnabled: maybeBoolean,
  MonthlyBandwidthUsed: maybeNumber,
  MagicContainersAppId: maybeString,
  EdgeScriptId: maybeNumber,
  Hostnames: listOf(hostname),
});

const restOfPage = z.object({
  Items: z.array(z.unknown()).nullable(),
  HasMoreItems: maybeBoolean,
  TotalItems: maybeNumber,
});

const certificateRequest = z.object({
  TxtRecordName: maybeString,
  TxtRecordValue: maybeString,
  ExpiresAt: maybeString,
});

/** A hostname of a pull zone, without certificate material. */
export type Hostname = z.output<typeof hostname>;
/** A pull zone, without its keys. `MonthlyBandwidthUsed` is bytes. */
export type PullZone = z.output<typeof pullZone>;
/** The TXT record to create; other keys are in `Done.extra`. Source of the three: one operator's note. */
export type CertificateRequest = z.output<typeof certificateRequest>;

/** The pull zones and their hostnames. */
export interface PullZones {
  /** All of them, for pickers. */
  list(options?: CallOptions): Promise<Listed<PullZone>>;
  get(id: number, options?: CallOptions): Promise<PullZone>;
  setForceSSL(id: number, given: { Hostname: string; ForceSSL: boolean }, options?: CallOptions): Promise<Done<object>>;
  /** All beyond the TXT record is in `extra`. */
  requestExternalDnsCertificate(given: { Hostname: string }, options?: CallOptions): Promise<Done<CertificateRequest>>;
  /** Ends what the request began, once the TXT record is there. */
  completeExternalDnsCertificate(given: { Hostname: string }, options?: CallOptions): Promise<Done<object>>;
  /** All that the caches of the zone hold, or what has one tag. */
  purgeCache(id: number, given: { CacheTag?: string }, options?: CallOptions): Promise<Done<object>>;
  /** One address; unless `exactPath`, what a `*` or a slash at its end stands for too. */
  purge(given: { url: string; exactPath: boolean }, options?: CallOptions): Promise<Done<object>>;
}

/** Pull zones over a transport. */
export function createPullZones(transport: Transport): PullZones {
  const change = <T>(
    asked: ReturnType<typeof endpoint>,
    body: object,
    schema: z.ZodType<T>,
    options?: CallOptions,
  ): Promise<Done<T>> => transport.write({ ...asked, body, open: true }, schema, options);
  return {
    list: (options) =>
      gatherPages(
        ({ Id }) => Id,
        async (page, following) => {
          const { records, rest, isCut } = await transport.readRecords(
            // Zones a page, of 1000 that the platform gives: each comes with all its hostnames and edge rules.
            { ...endpoint('GET /pullzone'), query: { page, perPage: 200 } },
            // A zone has all its hostnames.
            // Zones of an answer that are read, where a platform gives more than it was asked for.
            { list: 'Items', schema: pullZone, rest: restOfPage, most: 20_000, longest: 16 * 1024 * 1024 },
            following,
          );
          return { HasMoreItems: isCut, ...rest, Items: records };
        },
        options,
      ),

    async get(id, options) {
      return transport.read(endpoint('GET /pullzone/{id}', numericId(id, 'pull zone')), pullZone, options);
    },

    setForceSSL: async (id, given, options) =>
      change(endpoint('POST /pullzone/{id}/setForceSSL', numericId(id, 'pull zone')), given, unknownAnswer, options),

    requestExternalDnsCertificate: (given, options) =>
      change(endpoint('POST /pullzone/requestExternalDnsCertificate'), given, certificateRequest, options),

    completeExternalDnsCertificate: (given, options) =>
      change(endpoint('POST /pullzone/completeExternalDnsCertificate'), given, unknownAnswer, options),

    purgeCache: async (id, given, options) =>
      change(endpoint('POST /pullzone/{id}/purgeCache', numericId(id, 'pull zone')), given, unknownAnswer, options),

    purge: ({ url, exactPath }, options) =>
      transport.write(
        { ...endpoint('POST /purge'), query: { url, async: false, exactPath }, open: true },
        unknownAnswer,
        options,
      ),
  };
}
