import { expect, test } from 'vitest';
import { CAUSES, causeIn } from '../../src/logs/causes.ts';

test.each([
  ['connect() failed (111: Connection refused) while connecting to upstream, client: 192.0.2.7', 'refused'],
  ['Error: connect ECONNREFUSED 192.0.2.7:443', 'refused'],
  ['SQLSTATE[HY000] [2002] Connection refused', 'db-down'],
  ['192.0.2.7:51 [x] web app/a 0/0/1/-1/9 504 2 - - sH-- 1/1/0/0/0 0/0 "GET / HTTP/1.1"', 'answer-timeout'],
  ['192.0.2.7:51 [x] web app/a 0/0/1/-1/9 502 2 - - SH-- 1/1/0/0/0 0/0 "GET / HTTP/1.1"', 'closes-early'],
  ['REMOTE-CERTIFICATE INVALID: NotTimeValid', 'cert-expired'],
  // The inner sentence says more than the outer one.
  [
    'Authentication failed, see inner exception. The remote certificate is invalid because of errors in the certificate chain: NotTimeValid',
    'cert-expired',
  ],
  ['SSL handshake failed: CertificateNameCheckFailed', 'cert-name'],
  ['Authentication failed, see inner exception: the remote certificate is invalid', 'cert-invalid'],
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
  ['Failed to pull image "registry.example.com/web:1": rpc error: code = NotFound', 'image-pull'],
  ['KnexTimeoutError: Knex: Timeout acquiring a connection. The pool is probably full.', 'db-pool'],
  ['ORA-12541: TNS:no listener', 'db-down'],
  ['Request failed with status code 404', 'answers-404'],
  ['connect() failed (111: Connection refused), client: 192.0.2.7, upstream: "fastcgi://127.0.0.1:9000"', 'php-down'],
  [
    'upstream connect error or disconnect/reset before headers. reset reason: connection failure, transport failure reason: delayed connect error: 110',
    'connect-timeout',
  ],
  ['okhttp: failed to connect to /10.0.0.5 (port 443) from /10.0.0.9 (port 403) after 10000ms', 'connect-timeout'],
  [
    '(70007)The timeout specified has expired: AH00957: HTTP: attempt to connect to 10.0.0.5:8080 failed',
    'connect-timeout',
  ],
  ['transport: Error while dialing: dial tcp 10.0.0.5:50051: connect: connection refused', 'refused'],
  [
    'rpc error: code = Unavailable desc = connection error: dial tcp 10.0.0.5:50051: connect: connection refused',
    'refused',
  ],
  ['(104)Connection reset by peer: AH01102: error reading status line from remote server 10.0.0.5:8080', 'reset'],
  ['http.client.RemoteDisconnected: Remote end closed connection without response', 'closes-early'],
  ['java.io.IOException: HTTP/1.1 header parser received no bytes', 'closes-early'],
  ['HttpRequestException: The response ended prematurely.', 'closes-early'],
  ['java.net.ProtocolException: unexpected end of stream', 'cut-short'],
  ['ERR_INCOMPLETE_CHUNKED_ENCODING', 'cut-short'],
  ['recv() failed (111: Connection refused) while resolving, resolver: 10.0.0.2:53', 'dns-timeout'],
  ['cURL error 60: SSL certificate problem: certificate has expired', 'cert-expired'],
  ['certificate for a.example.com has expired', 'cert-expired'],
  ['invalid peer certificate: NotValidYet', 'cert-early'],
  ['SEC_ERROR_UNKNOWN_ISSUER', 'cert-chain'],
  ['sslv3 alert bad certificate:SSL alert number 42', 'cert-client'],
  ['tls: oversized record received with length 20527', 'tls-plain'],
  ['javax.net.ssl.SSLException: SSL peer shut down incorrectly', 'tls-cut'],
  ['The SSL connection could not be established, see inner exception.', 'tls-fails'],
  ['peer closed connection in SSL handshake while SSL handshaking, client: 192.0.2.7', 'tls-visitor'],
  ['http: TLS handshake error from 192.0.2.7:51: EOF', 'tls-visitor'],
  ['received RST_STREAM with code 2 (INTERNAL_ERROR)', 'h2-broken'],
  ['Too many follow-up requests: 21', 'redirects'],
  ['origin took longer than 30s to send response headers', 'answer-timeout'],
  ['read timeout while receiving response body', 'stall'],
  ['request cancelled by the client', 'visitor-gone'],
  ['Cloudflare: Sorry, you have been blocked', 'waf'],
  ['origin rate limited us (429)', 'rate-origin'],
  ['object not found in bucket', 'storage-missing'],
  ['This account has been suspended', 'licence'],
  ['Load balancer does not have available server for client: orders', 'no-healthy'],
  ['dial tcp 10.0.0.4:6379: connect: connection refused', 'db-down'],
  ['httpx.PoolTimeout', 'overflow'],
  ['*** uWSGI *** HARAKIRI ON WORKER 1', 'answer-timeout'],
  ['rpc error: code = DeadlineExceeded desc = context deadline exceeded', 'answer-timeout'],
  ['509 Bandwidth Limit Exceeded', 'licence'],
  ['database connection pool exhausted', 'db-pool'],
])('what %j says is wrong is %s, in whatever words', (message, id) => {
  expect(causeIn(message)?.id).toBe(id);
});

// What is finer than it was: somebody on call does something else about each.
test.each([
  ['Yarp.ReverseProxy.Forwarder.HttpForwarder: NoAvailableDestinations', 'no-healthy'],
  [
    'TypeError: fetch failed, cause: HeadersTimeoutError: Headers Timeout Error (code: UND_ERR_HEADERS_TIMEOUT)',
    'answer-timeout',
  ],
  ['TypeError: fetch failed, cause: Error: redirect count exceeded', 'redirects'],
  ['invalid request block size: 4161 (max 4096)...skip', 'request-header-large'],
  ['dial tcp: lookup a.example.com: i/o timeout', 'dns-timeout'],
  ['dial tcp 203.0.113.5:443: i/o timeout', 'connect-timeout'],
  ['context deadline exceeded (Client.Timeout exceeded while awaiting headers)', 'answer-timeout'],
  ['tls: no cipher suite supported by both client and server', 'tls-cipher'],
  ['Error 525: SSL handshake failed', 'tls-fails'],
  ['AH01797: client denied by server configuration', 'forbidden-rule'],
  ['Your IP address has been banned (1006)', 'ip-blocked'],
  ['blocked by: [FORBIDDEN/12/index read-only / allow delete (api)]', 'disk-full'],
  ['FetchError backend default: busy', 'overflow'],
  ['Error 1101: Worker threw exception', 'function-throws'],
  ['Unhandled exception: System.Exception: boom', 'unhandled'],
  ['child 17 exited on signal 11 (SIGSEGV)', 'crash'],
  ['Max retries exceeded (Caused by NewConnectionError: [Errno 111] Connection refused)', 'refused'],
  ['PHP Fatal error: Uncaught PDOException: SQLSTATE[HY000] [2002] Connection refused', 'db-down'],
  ['503 maintenance_mode', 'maintenance'],
  ['TLS upgrade handshake failed', 'tls-fails'],
  ['Invalid IP address given', undefined],
  ['Failed to get the list of regions', undefined],
])('what %j says is wrong is %s and nothing broader', (message, id) => {
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

test.each([
  ['a number of something', 'proxy:5070 close, 451 bytes sent, 404 bytes received, lifetime 00:03'],
  ['a number behind another word', 'Finished task 416 in stage 10.0 (TID 504)'],
  ['the name of a host', 'ocsp.example.com:80 open through proxy cors.example.de:5070'],
  ['the name of a program', 'Started keycloak-server.war, listening for elasticsearch'],
  ['what is checked, and is well', 'Readiness probe for coredns succeeded'],
  ['a common word', 'Recalculating schedule, headroom=<memory:10240, vCores:-17>'],
  ['words far apart', `pool: ${'header and body, '.repeat(8)}exhausted`],
])('%s alone is no cause', (_, message) => {
  expect(causeIn(message)).toBeUndefined();
});

test.each([
  ['HTTP/1.1" 404 -', 'answers-404'],
  ['the origin returned a 404', 'answers-404'],
  ['Readiness probe for coredns failed', 'health-check'],
  ['ocsp.example.com: certificate has expired', 'cert-expired'],
])('%j says what is wrong all the same: %s', (message, id) => {
  expect(causeIn(message)?.id).toBe(id);
});
