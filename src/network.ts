import { EnvHttpProxyAgent, Pool } from 'undici';
import { StartError } from './start-error.ts';

/** Through HTTPS_PROXY, HTTP_PROXY and NO_PROXY. Throws StartError. */
export function createRoutes(options: EnvHttpProxyAgent.Options = {}): EnvHttpProxyAgent {
  try {
    return new EnvHttpProxyAgent({
      // Otherwise the bot would wait five minutes for a silent proxy.
      clientFactory: (origin, given) =>
        new Pool(origin, { ...given, headersTimeout: options.headersTimeout ?? 10_000 }),
      ...options,
    });
  } catch (error) {
    const says = 'HTTPS_PROXY or HTTP_PROXY is not the address of a proxy. Write it as http://proxy.example.com:3128.';
    throw new StartError('settings', says, { cause: error });
  }
}

let shared: EnvHttpProxyAgent | undefined;

/** Shared by all clients without timeouts of their own. */
export const routes = (): EnvHttpProxyAgent => (shared ??= createRoutes());

const UNTRUSTED = [
  'is not trusted here',
  'If a proxy intercepts TLS or the service uses a private CA, set NODE_EXTRA_CA_CERTS to that CA’s file.',
] as const;

/** Source: nodejs.org, TLS, X509 certificate error codes. */
const CERTIFICATES: Readonly<Record<string, readonly [is: string, mend: string]>> = {
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  CERT_UNTRUSTED: UNTRUSTED,
  INVALID_CA: UNTRUSTED,
  CERT_HAS_EXPIRED: ['has expired', 'Check this machine’s clock. If it is right, the service needs a new certificate.'],
  CERT_NOT_YET_VALID: ['is not valid yet', 'Check this machine’s clock.'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['is for another host', 'Check the address.'],
};

/** Undefined: the error has another cause. `mend` is a sentence, and `is` too, without its full stop. */
export function networkTrouble(error: unknown, who = 'the other side'): { is: string; mend: string } | undefined {
  let one = error;
  // Clients wrap errors of the network.
  for (let depth = 0; one instanceof Error && depth < 5; depth += 1) {
    const { code, original, cause } = one as Error & { code?: unknown; original?: unknown };
    const [is, mend] = (typeof code === 'string' ? CERTIFICATES[code] : undefined) ?? [];
    if (is !== undefined && mend !== undefined) return { is: `the certificate of ${who} ${is}`, mend };
    // undici has no code for it.
    const refused = /^Proxy response \((\d+)\)/.exec(one.message)?.[1];
    if (refused === '407')
      return {
        is: 'the proxy wants a name and a password',
        mend: 'Write both into HTTPS_PROXY, before the host: name, colon, password, @.',
      };
    if (refused !== undefined)
      return { is: `the proxy lets nobody through to ${who} (${refused})`, mend: 'Ask whoever runs the proxy.' };
    one = original ?? cause;
  }
  return undefined;
}
