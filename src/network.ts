import { EnvHttpProxyAgent } from 'undici';

/** The connections of one kind of client: by the proxy of HTTPS_PROXY, HTTP_PROXY and NO_PROXY, where there is one. */
export const createRoutes = (options: EnvHttpProxyAgent.Options = {}): EnvHttpProxyAgent =>
  new EnvHttpProxyAgent(options);

/** What is wrong with a certificate, and what helps. */
export interface CertificateTrouble {
  is: string;
  mend: string;
}

const UNTRUSTED: CertificateTrouble = {
  is: 'is not trusted here',
  mend: 'Where something on the way opens TLS, or the service has a CA of its own, name that CA’s file in NODE_EXTRA_CA_CERTS.',
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

/** What a certificate of the other side had against a connection; undefined where it was something else. */
export function certificateTrouble(error: unknown): CertificateTrouble | undefined {
  let one = error;
  // Clients wrap what the network said.
  for (let depth = 0; one instanceof Error && depth < 5; depth += 1) {
    const { code, original, cause } = one as Error & { code?: unknown; original?: unknown };
    const trouble = typeof code === 'string' ? TROUBLES[code] : undefined;
    if (trouble !== undefined) return trouble;
    one = original ?? cause;
  }
  return undefined;
}
