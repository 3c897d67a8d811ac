import type { Zone } from './account.ts';
import { mix } from './random.ts';

/** Why requests to an origin fail, as the platform's origin error log words it. */
export interface Cause {
  /** For the label: what somebody on call would call it. */
  words: string;
  /** A message that says any of this has named the cause. */
  accept: RegExp;
  code: string;
  status: number;
  /** What the platform writes; the values differ from request to request. */
  messages: readonly ((given: Values) => string)[];
}

interface Values {
  host: string;
  ip: string;
  port: number;
  ms: number;
  bytes: number;
  id: string;
}

export const CAUSES = {
  refused: {
    words: 'the origin refuses connections',
    accept: /refus|ECONNREFUSED|not (accepting|listening)|port (is )?closed/i,
    code: 'network_socket_exception',
    status: 502,
    messages: [
      ({ ip, port }) => `Connection refused (${ip}:${port})`,
      ({ host, port }) => `Connection refused (${host}:${port})`,
      ({ ip, port }) =>
        `No connection could be made because the target machine actively refused it. [::ffff:${ip}]:${port}`,
    ],
  },
  timeout: {
    words: 'the origin does not answer in time',
    accept: /tim(e|ed)[\s-]?out|(no|not) (answer|respon)|too slow|in time/i,
    code: 'http_timeout',
    status: 504,
    messages: [
      () => 'The origin server did not respond within 60 seconds.',
      ({ ms }) =>
        `The request was canceled due to the configured HttpClient.Timeout of ${60 + (ms % 2)} seconds elapsing.`,
      ({ ms, id }) => `Origin response timed out after ${60_000 + ms} ms (attempt ${id.slice(0, 8)})`,
    ],
  },
  connectTimeout: {
    words: 'connections to the origin time out',
    accept: /tim(e|ed)[\s-]?out|unreach|can(no|')t (be )?(reach|connect)|connect/i,
    code: 'network_socket_exception',
    status: 504,
    messages: [
      ({ ip, port }) => `Connection timed out (${ip}:${port})`,
      ({ host, port }) =>
        `A connection attempt failed because the connected party did not properly respond after a period of time (${host}:${port})`,
    ],
  },
  dns: {
    words: "the origin's name does not resolve",
    accept: /\bdns\b|resol|name.{0,20}(lookup|known)|host ?name/i,
    code: 'dns_lookup',
    status: 502,
    messages: [
      ({ host }) => `Origin DNS lookup failed: no A or AAAA records for ${host}`,
      ({ host, port }) => `No such host is known. (${host}:${port})`,
      ({ host, port }) => `Name or service not known (${host}:${port})`,
      ({ host }) => `DNS resolution for ${host} returned SERVFAIL`,
    ],
  },
  tlsExpired: {
    words: "the origin's certificate is out of date",
    accept: /certificate|\btls\b|\bssl\b/i,
    code: 'http_request_exception',
    status: 502,
    messages: [
      () =>
        'The SSL connection could not be established, see inner exception. The remote certificate is invalid because of errors in the certificate chain: NotTimeValid',
      ({ host }) => `SSL certificate problem: certificate has expired (${host})`,
    ],
  },
  tlsName: {
    words: "the origin's certificate is for another name",
    accept: /certificate|\btls\b|\bssl\b/i,
    code: 'http_request_exception',
    status: 502,
    messages: [
      () => 'The remote certificate is invalid according to the validation procedure: RemoteCertificateNameMismatch',
      ({ host }) => `SSL: no alternative certificate subject name matches target host name '${host}'`,
    ],
  },
  handshake: {
    words: 'the TLS handshake with the origin fails',
    accept: /handshake|\btls\b|\bssl\b/i,
    code: 'http_request_exception',
    status: 502,
    messages: [
      () =>
        'The SSL connection could not be established, see inner exception. Authentication failed, see inner exception.',
      ({ ip, port }) => `TLS handshake with ${ip}:${port} failed: SSL alert number 40 (handshake failure)`,
    ],
  },
  reset: {
    words: 'the origin resets connections',
    accept: /reset|closed? (the )?connection|connection.{0,20}(closed|dropped|lost)|cuts? /i,
    code: 'network_io_error',
    status: 502,
    messages: [
      () => 'Unable to read data from the transport connection: Connection reset by peer.',
      ({ ip, port }) => `Connection reset by peer (${ip}:${port})`,
      ({ bytes }) => `Unable to write data to the transport connection: Broken pipe after ${bytes} bytes.`,
    ],
  },
  ended: {
    words: 'the origin ends responses too early',
    accept: /premature|early|truncat|incomplete|cut short|ended|closed/i,
    code: 'http_request_exception',
    status: 502,
    messages: [
      ({ bytes }) =>
        `The response ended prematurely, with at least ${bytes} additional bytes expected. (ResponseEnded)`,
      () => 'An error occurred while sending the request. The response ended prematurely.',
    ],
  },
  unreachable: {
    words: 'there is no route to the origin',
    accept: /route|unreach|network|can(no|')t (be )?reach/i,
    code: 'network_socket_exception',
    status: 502,
    messages: [
      ({ ip, port }) => `No route to host (${ip}:${port})`,
      ({ ip, port }) => `Network is unreachable (${ip}:${port})`,
    ],
  },
  invalid: {
    words: 'the origin answers with invalid HTTP',
    accept: /invalid|malformed|header|bad (answer|response)|not (valid )?http|protocol/i,
    code: 'http_request_failure',
    status: 502,
    messages: [
      ({ id }) => `Received an invalid status line: '${id.slice(0, 12)}'.`,
      ({ id }) => `Received an invalid header name: 'x-${id.slice(0, 6)} trace'.`,
    ],
  },
  loop: {
    words: 'requests go round in a loop',
    accept: /loop/i,
    code: 'http_loop_detected',
    status: 508,
    messages: [
      ({ host }) => `Request loop detected: ${host} points back to this pull zone`,
      ({ id }) => `Loop detected, the CDN-Loop header has been seen before (${id.slice(0, 10)})`,
    ],
  },
  compression: {
    words: "the origin's compression is broken",
    accept: /compress|gzip|brotli|deflate|encoding|archive/i,
    code: 'http_invalid_compression',
    status: 500,
    messages: [
      () => 'The archive entry was compressed using an unsupported compression method.',
      ({ bytes }) => `Found invalid data while decoding gzip at offset ${bytes}.`,
    ],
  },
  exhausted: {
    words: 'the origin has no connections left',
    accept: /connection|pool|exhaust|limit|overload|too many|busy|capacity/i,
    code: 'http_request_failure',
    status: 503,
    messages: [
      ({ ip, port, bytes }) => `Connection limit to origin ${ip}:${port} reached (${bytes % 400} waiting)`,
      ({ host }) => `Too many open connections to ${host}, request was not sent`,
    ],
  },
} as const satisfies Record<string, Cause>;

export type CauseKey = keyof typeof CAUSES;

/** Which of a cause's wordings an origin's platform node uses: two for every zone, not all. */
export function messageOf(zone: Zone, key: CauseKey, recordHash: number): string {
  const { messages }: Cause = CAUSES[key];
  const first = zone.seed % messages.length;
  const wording = messages[recordHash % 4 === 0 ? (first + 1) % messages.length : first]!;
  const second = mix(recordHash, 5);
  return wording({
    host: zone.originHost,
    ip: zone.originIp,
    port: 443,
    ms: second % 900,
    bytes: second % 70_000,
    id: `${recordHash.toString(16).padStart(8, '0')}${second.toString(16).padStart(8, '0')}`,
  });
}
