import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CAUSES, causeIn } from '../../src/logs/causes.ts';
import { messageTemplate } from '../../src/logs/template.ts';
import { groupByDrain, scoreGrouping } from '../check/signal/grouping.ts';
import { messages } from '../check/signal/messages.ts';

test.each([
  ['connect() failed (111: Connection refused) while connecting to upstream, client: 192.0.2.7', 'refused'],
  ['Error: connect ECONNREFUSED 192.0.2.7:443', 'refused'],
  ['SQLSTATE[HY000] [2002] Connection refused', 'db-down'],
  ['192.0.2.7:51 [x] web app/a 0/0/1/-1/9 504 2 - - sH-- 1/1/0/0/0 0/0 "GET / HTTP/1.1"', 'answer-timeout'],
  ['192.0.2.7:51 [x] web app/a 0/0/1/-1/9 502 2 - - SH-- 1/1/0/0/0 0/0 "GET / HTTP/1.1"', 'closes-early'],
  ['REMOTE-CERTIFICATE INVALID: NotTimeValid', 'cert-expired'],
  ['dns_lookup', 'dns-missing'],
  // Nobody who names a page like an error makes one, and a word within another is not that word.
  ['the parcel is here, request: "GET /connection/refused HTTP/1.1"', undefined],
  ['disconnection refusedly', undefined],
  ['the parcel is here', undefined],
  ['', undefined],
])('what %j says is wrong is %s', (message, id) => {
  expect(causeIn(message)?.id).toBe(id);
});

// What programs say by their source or their documentation, in other words than the table has.
test.each([
  ['Errno::ECONNREFUSED: Failed to open TCP connection to a.example.com:443 (Connection refused)', 'refused'],
  [
    'ConnectTimeoutError: Connect Timeout Error (attempted address: a.example.com:443, timeout: 10000ms)',
    'connect-timeout',
  ],
  ['Net::OpenTimeout: Failed to open TCP connection to a.example.com:443 (execution expired)', 'connect-timeout'],
  ['getaddrinfo EAI_AGAIN a.example.com', 'dns-timeout'],
  ['lookup a.example.com on 10.96.0.10:53: read udp 10.2.0.7:385->10.96.0.10:53: i/o timeout', 'dns-timeout'],
  ['queryA ESERVFAIL a.example.com', 'dns-fail'],
  ['x-edge-detailed-result-type: S3OriginDnsError', 'dns-missing'],
  ['aiohttp.client_exceptions.ServerDisconnectedError: Server disconnected', 'closes-early'],
  ['reactor.netty.http.client.PrematureCloseException: Connection prematurely closed BEFORE response', 'closes-early'],
  ['reactor.netty.http.client.PrematureCloseException: Connection prematurely closed DURING response', 'cut-short'],
  ['transfer closed with 1532 bytes remaining to read', 'cut-short'],
  ['[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired (_ssl.c:1006)', 'cert-expired'],
  ['ErrorInfo: CertificateNameCheckFailed', 'cert-name'],
  ['statusDetails: ssl_certificate_chain_verification_failed', 'cert-chain'],
  ['net::ERR_CERT_AUTHORITY_INVALID', 'cert-chain'],
  ['tls: client offered only unsupported versions: [303 302]', 'tls-version'],
  ['AH01991: SSL input filter read failed during handshake: connection closed abruptly', 'tls-cut'],
  ['_ssl.c:989: The handshake operation timed out', 'tls-timeout'],
  ['io.netty.handler.codec.http.TooLongHttpHeaderException: HTTP header is larger than 8192 bytes.', 'header-large'],
  ['Received HTTP/0.9 when not allowed', 'header-bad'],
  ['at=error code=H12 desc="Request timeout" method=GET path="/" service=30000ms', 'answer-timeout'],
  ['Operation too slow. Less than 1000 bytes/sec transferred the last 30 seconds', 'stall'],
  ['pybreaker.CircuitBreakerError: Timeout not elapsed yet, circuit breaker still open', 'breaker'],
  ['upstream connect error or disconnect/reset before headers. reset reason: overflow', 'overflow'],
  [
    'upstream connect error or disconnect/reset before headers. retried and the latest reset reason: remote reset',
    'reset',
  ],
  ['Maximum (10) redirects followed', 'redirects'],
  ['Error 1007: Access Denied: Your country has been banned', 'country-blocked'],
  ['FUNCTION_INVOCATION_TIMEOUT', 'function-time'],
  ['Worker exceeded CPU time limit.', 'function-cpu'],
  ['0/3 nodes are available: 3 Insufficient cpu.', 'unscheduled'],
  ['Failed to pull image "registry.example.com/web:1": rpc error: code = NotFound', 'image-pull'],
  ['KnexTimeoutError: Knex: Timeout acquiring a connection. The pool is probably full.', 'db-pool'],
  ['ORA-12541: TNS:no listener', 'db-down'],
  ['dial tcp 10.0.0.4:6379: connect: connection refused', 'redis-down'],
  ['Request failed with status code 404', 'answers-404'],
  ['connect() failed (111: Connection refused), client: 192.0.2.7, upstream: "fastcgi://127.0.0.1:9000"', 'php-down'],
])('what %j says is wrong is %s, in whatever words', (message, id) => {
  expect(causeIn(message)?.id).toBe(id);
});

test('each cause has an id of its own, a sentence, and something to look at', () => {
  expect(new Set(CAUSES.map(({ id }) => id)).size).toBe(CAUSES.length);
  expect(new Set(CAUSES.map(({ means }) => means)).size).toBe(CAUSES.length);
  for (const { id, means, look } of CAUSES) {
    expect(id).toMatch(/^[a-z\d-]{2,20}$/);
    expect(means).toMatch(/^[A-Z].{8,70}[^.]$/);
    expect(look).toMatch(/^.{4,100}[^.]$/);
  }
});

describe('messages of programs, labelled by who has read none of this, in the half that rules may be tuned on', () => {
  const all = messages({ half: 'tuning', copies: 3 });
  const kinds = all.map(({ kind }) => kind);
  const keyOf = (text: string) => causeIn(text)?.id ?? messageTemplate(text);

  test('are grouped by what is one problem, where words alone tear it apart', () => {
    const score = scoreGrouping(
      kinds,
      all.map(({ text }) => keyOf(text)),
    );
    const drain = scoreGrouping(kinds, groupByDrain(all.map(({ text }) => text)));
    expect(score.fga).toBeGreaterThan(0.95);
    expect(score.mixed).toEqual([]);
    expect(drain.fga).toBeLessThan(0.3);
  });

  test('have a cause that is their own: nothing that was read before counts', () => {
    const alone = new Map(all.map(({ text }) => [text, keyOf(text)]));
    fc.assert(
      fc.property(fc.shuffledSubarray([...alone.keys()], { minLength: 1, maxLength: 40 }), (some) => {
        for (const text of some) expect(keyOf(text)).toBe(alone.get(text));
      }),
      { numRuns: 20 },
    );
  });
});
