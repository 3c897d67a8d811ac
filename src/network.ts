import { EnvHttpProxyAgent } from 'undici';
import { StartError } from './start-error.ts';

/** Through HTTPS_PROXY, HTTP_PROXY and NO_PROXY. Throws StartError. */
export function createRoutes(options: EnvHttpProxyAgent.Options = {}): EnvHttpProxyAgent {
  try {
    return new EnvHttpProxyAgent(options);
  } catch (error) {
    const says = 'HTTPS_PROXY or HTTP_PROXY is no address of a proxy. Write it as http://proxy.example.com:3128.';
    throw new StartError('settings', says, { cause: error });
  }
}

let shared: EnvHttpProxyAgent | undefined;

/** Shared by all clients without timeouts of their own. */
export const routes = (): EnvHttpProxyAgent => (shared ??= createRoutes());

export interface CertificateTrouble {
  is: string;
  mend: string;
}

const UNTRUSTED: CertificateTrouble = {
  is: 'is not trusted here',
  mend: 'If a proxy intercepts TLS or the service uses a private CA, set NODE_EXTRA_CA_CERTS to that CA’s file.',
};

/** Source: nodejs.org, TLS, X509 certificate error codes. */
const TROUBLES: Readonly<Record<string, CertificateTrouble>> = {
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  CERT_UNTRUSTED: UNTRUSTED,
  INVALID_CA: UNTRUSTED,
  CERT_HAS_EXPIRED: { is: 'has expired', mend: 'Look at the clock of this machine; else the service needs a new one.' },
  CERT_NOT_YET_VALID: { is: 'is not valid yet', mend: 'Look at the clock of this machine.' },
  ERR_TLS_CERT_ALTNAME_INVALID: { is: 'is that of another host', mend: 'Look at the address.' },
};

/** Undefined: the error has another cause. */
export function certificateTrouble(error: unknown): CertificateTrouble | undefined {
  let one = error;
  // Clients wrap errors of the network.
  for (let depth = 0; one instanceof Error && depth < 5; depth += 1) {
    const { code, original, cause } = one as Error & { code?: unknown; original?: unknown };
    const trouble = typeof code === 'string' ? TROUBLES[code] : undefined;
    if (trouble !== undefined) return trouble;
    one = original ?? cause;
  }
  return undefined;
}
