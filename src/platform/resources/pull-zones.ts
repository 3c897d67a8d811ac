import { z } from 'zod';
import { UsageError } from '../../errors.ts';
import { numericId } from '../ids.ts';
import { gatherPages } from '../pages.ts';
import { arrayOf, type Done, type Listed, listOf, maybe, maybeBoolean, maybeNumber, maybeString } from '../shapes.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** How many zones a page of the picker holds; its largest. Source: platform.md 6. */
const PER_PAGE = 1000;

/** An address without the user and password that it may hold. */
const withoutCredentials = (url: string) => url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1');

// The hostname's certificate and its private key are not in this list: they never leave the parser.
const hostname = z.object({
  Id: maybeNumber,
  Value: z.string(),
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
  OriginUrl: maybe(z.string().transform(withoutCredentials)),
  Enabled: maybeBoolean,
  Suspended: maybeBoolean,
  EnableLogging: maybeBoolean,
  EnableExtendedLogging: maybeBoolean,
  EnableOriginShield: maybeBoolean,
  EnableSafeHop: maybeBoolean,
  OptimizerEnabled: maybeBoolean,
  MonthlyBandwidthUsed: maybeNumber,
  MonthlyCharges: maybeNumber,
  MagicContainersAppId: maybeString,
  EdgeScriptId: maybeNumber,
  Hostnames: listOf(hostname),
});

const pullZonePage = z.union([
  arrayOf(pullZone).transform((zones) => ({ Items: zones, HasMoreItems: false, TotalItems: zones.length })),
  z.object({ Items: listOf(pullZone), HasMoreItems: maybeBoolean, TotalItems: maybeNumber }),
]);

const certificateRequest = z.object({
  TxtRecordName: maybeString,
  TxtRecordValue: maybeString,
  ExpiresAt: maybeString,
});

// The specification shows no answer: whatever an object says is for `extra`.
const unknownAnswer = z.object({});

/** A hostname of a pull zone, without certificate material (platform.md 6). */
export type Hostname = z.output<typeof hostname>;
/** A pull zone, without its keys (platform.md 6). `MonthlyBandwidthUsed` is bytes. */
export type PullZone = z.output<typeof pullZone>;
/**
 * The TXT record to create (spec part 4: not shown; source of the three keys: platform.md 5.1, one operator's note). Other
 * keys are in `Done.extra`.
 */
export type CertificateRequest = z.output<typeof certificateRequest>;

function requireHostname(value: string): void {
  if (value.trim().length === 0) throw new UsageError('A hostname is needed.', { argument: 'hostname' });
}

export function createPullZones(transport: Transport) {
  return {
    /** All pull zones, for pickers; a bare array is read too. Source: platform.md 6. */
    async list(options?: CallOptions): Promise<Listed<PullZone>> {
      return gatherPages(
        (page, following) =>
          transport.read(
            { service: 'management', method: 'GET', path: '/pullzone', query: { page, perPage: PER_PAGE } },
            pullZonePage,
            following,
          ),
        options,
      );
    },

    /** One pull zone with its hostnames. Source: platform.md 6. */
    async get(id: number, options?: CallOptions): Promise<PullZone> {
      return transport.read(
        { service: 'management', method: 'GET', path: `/pullzone/${numericId(id, 'pull zone')}` },
        pullZone,
        options,
      );
    },

    /** Row 6. Any 2xx is success, an empty one too. */
    async setForceSSL(
      id: number,
      given: { Hostname: string; ForceSSL: boolean },
      options?: CallOptions,
    ): Promise<Done<object>> {
      requireHostname(given.Hostname);
      return transport.write(
        {
          service: 'management',
          method: 'POST',
          path: `/pullzone/${numericId(id, 'pull zone')}/setForceSSL`,
          body: { Hostname: given.Hostname, ForceSSL: given.ForceSSL },
          open: true,
        },
        unknownAnswer,
        options,
      );
    },

    /** Row 5. The route has no pull zone. Any 2xx is success; what the body says beyond the TXT record is in `extra`. */
    async requestExternalDnsCertificate(
      given: { Hostname: string },
      options?: CallOptions,
    ): Promise<Done<CertificateRequest>> {
      requireHostname(given.Hostname);
      return transport.write(
        {
          service: 'management',
          method: 'POST',
          path: '/pullzone/requestExternalDnsCertificate',
          body: { Hostname: given.Hostname },
          open: true,
        },
        certificateRequest,
        options,
      );
    },

    /** Ends what row 5 began, once the TXT record is there. Source: platform.md 5.1. */
    async completeExternalDnsCertificate(given: { Hostname: string }, options?: CallOptions): Promise<Done<object>> {
      requireHostname(given.Hostname);
      return transport.write(
        {
          service: 'management',
          method: 'POST',
          path: '/pullzone/completeExternalDnsCertificate',
          body: { Hostname: given.Hostname },
          open: true,
        },
        unknownAnswer,
        options,
      );
    },
  };
}
