import * as z from 'zod';
import { gatherPages } from '../pages.ts';
import {
  listOf,
  maybe,
  maybeBoolean,
  maybeNumber,
  maybeString,
  numericId,
  shortText,
  unknownAnswer,
} from '../shapes.ts';
import { type CallOptions, endpoint, forOne, type Transport } from '../transport.ts';

const withoutCredentials = (url: string) => url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1');

// Without the certificate and private key, which never leave the parser.
const hostname = z.object({
  Value: shortText,
  ForceSSL: maybeBoolean,
  IsSystemHostname: maybeBoolean,
  IsManagedHostname: maybeBoolean,
  HasCertificate: maybeBoolean,
  CertificateProvisionType: maybeNumber,
});

// Without the zone's security, signing and log forwarding keys, too.
const pullZone = z.object({
  Id: z.number(),
  Name: maybeString,
  OriginUrl: maybe(shortText.transform(withoutCredentials)),
  OriginType: maybeNumber,
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
  BlockedIps: maybe(listOf(shortText)),
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

export type Hostname = z.output<typeof hostname>;
/** `MonthlyBandwidthUsed` is in bytes. */
export type PullZone = z.output<typeof pullZone>;
/** Source: one operator's note. Other keys are in `Done.extra`. */
export type CertificateRequest = z.output<typeof certificateRequest>;

export function createPullZones(transport: Transport) {
  const one = forOne(transport, (id: number) => numericId(id, 'pull zone'));
  return {
    list: (options?: CallOptions) =>
      gatherPages(
        ({ Id }: PullZone) => Id,
        async (page, following) => {
          const { records, rest, isCut } = await transport.readRecords(
            // Fewer than the possible 1000, because each zone brings its hostnames and edge rules.
            { ...endpoint('GET /pullzone'), query: { page, perPage: 200 } },
            // `longest` has room for a zone with all its hostnames.
            { list: 'Items', schema: pullZone, rest: restOfPage, most: 20_000, longest: 16 * 1024 * 1024 },
            following,
          );
          return { HasMoreItems: isCut, ...rest, Items: records };
        },
        options,
      ),

    get: one.read('GET /pullzone/{id}', pullZone),
    setForceSSL: one.send<{ Hostname: string; ForceSSL: boolean }, object>(
      'POST /pullzone/{id}/setForceSSL',
      unknownAnswer,
    ),
    addBlockedIp: one.send<{ BlockedIp: string }, object>('POST /pullzone/{id}/addBlockedIp', unknownAnswer),
    removeBlockedIp: one.send<{ BlockedIp: string }, object>('POST /pullzone/{id}/removeBlockedIp', unknownAnswer),
    /** The whole zone, or one tag. */
    purgeCache: one.send<{ CacheTag?: string }, object>('POST /pullzone/{id}/purgeCache', unknownAnswer),

    requestExternalDnsCertificate: (body: { Hostname: string }, options?: CallOptions) =>
      transport.write(
        { ...endpoint('POST /pullzone/requestExternalDnsCertificate'), body, open: true },
        certificateRequest,
        options,
      ),

    completeExternalDnsCertificate: (body: { Hostname: string }, options?: CallOptions) =>
      transport.write({ ...endpoint('POST /pullzone/completeExternalDnsCertificate'), body }, unknownAnswer, options),

    /** Unless `exactPath`, a `*` or slash at the end purges everything beneath. */
    purge: ({ url, exactPath }: { url: string; exactPath: boolean }, options?: CallOptions) =>
      transport.write({ ...endpoint('POST /purge'), query: { url, async: false, exactPath } }, unknownAnswer, options),
  };
}
