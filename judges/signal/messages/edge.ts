import type { Kind } from '../messages.ts';

/** Load balancers, rules, visitors' requests, storage and scripts at the edge. */
export const EDGE: readonly Kind[] = [
  {
    kind: 'no healthy origin server',
    family: 'balancing',
    texts: [
      'Envoy ¦ no healthy upstream',
      'nginx ¦ no live upstreams while connecting to upstream, client: {ip}, request: "GET {path} HTTP/1.1", upstream: "http://backend{path}"',
      'HAProxy ¦ backend app has no server available!',
      'Varnish ¦ FetchError backend default: unhealthy',
      'Fastly ¦ 503 All backends failed or unhealthy (chash)',
      'Google Cloud ¦ statusDetails: failed_to_pick_backend',
      'Azure Front Door ¦ ErrorInfo: NoHealthyBackends',
    ],
  },
  {
    kind: 'health check gets a bad status',
    family: 'balancing',
    texts: [
      'HAProxy ¦ Server app/web{d} is DOWN, reason: Layer7 wrong status, code: 503, info: "Service Unavailable", check duration: {ms}ms.',
      'AWS ¦ Target.ResponseCodeMismatch: Health checks failed with these codes: [503]',
    ],
  },
  {
    kind: 'no servers registered',
    family: 'balancing',
    texts: [
      'AWS ¦ Target.NotRegistered: Target group app-{num} has no registered targets',
      'Kubernetes ¦ Service "default/app-{num}" does not have any active Endpoint.',
      'Traefik ¦ no endpoints available for service default/app-{num}',
    ],
  },
  {
    kind: 'circuit breaker is open',
    family: 'balancing',
    texts: [
      "Java ¦ io.github.resilience4j.circuitbreaker.CallNotPermittedException: CircuitBreaker 'orders' is OPEN and does not permit further calls",
      'Node ¦ Error: Breaker is open (code: EOPENBREAKER)',
      'Go ¦ circuit breaker is open',
    ],
  },
  {
    kind: 'no route matches',
    family: 'balancing',
    texts: [
      'Envoy ¦ response_code_details: route_not_found {host} {path}',
      'Kong ¦ no Route matched with those values (request_id {id})',
    ],
  },
  {
    kind: 'edge does not know the domain',
    family: 'balancing',
    texts: [
      'Fastly ¦ Fastly error: unknown domain: {host}. Please check that this domain has been added to a service.',
      'Cloudflare ¦ Error 1001: DNS resolution error (ray {id})',
      'platform ¦ notfound_localdb: No pull zone is configured for the hostname {host}',
    ],
  },
  {
    kind: 'requests are limited at the edge',
    family: 'rules',
    texts: [
      'nginx ¦ limiting requests, excess: {d}.{num} by zone "perip", client: {ip}, request: "GET {path} HTTP/1.1"',
      'Envoy ¦ local_rate_limited',
      'Cloudflare ¦ Error 1015: You are being rate limited (ray {id})',
    ],
  },
  {
    kind: 'connections are limited at the edge',
    family: 'rules',
    texts: [
      'nginx ¦ limiting connections by zone "addr", client: {ip}, server: {host}',
      'platform ¦ Connection limit per IP address exceeded for {ip} ({num} open)',
    ],
  },
  {
    kind: 'origin limits requests',
    family: 'rules',
    texts: [
      'S3 ¦ SlowDown: Please reduce your request rate. (RequestId: {id})',
      'AWS ¦ TooManyRequestsException: Rate Exceeded.',
    ],
  },
  {
    kind: 'firewall blocks',
    family: 'rules',
    texts: [
      'ModSecurity ¦ Access denied with code 403 (phase 2). Pattern match "(?i:union.*select)" at ARGS:q. [id "{num}"] [uri "{path}"]',
      'Cloudflare ¦ Error 1020: Access denied (ray {id})',
      'platform ¦ Request blocked by WAF rule {num} (SQL Injection) on {path}',
    ],
  },
  {
    kind: 'access forbidden by a rule of the server',
    family: 'rules',
    texts: [
      'nginx ¦ access forbidden by rule, client: {ip}, server: {host}, request: "GET {path} HTTP/1.1"',
      'Apache ¦ AH01630: client denied by server configuration: /var/www/html{path}',
    ],
  },
  {
    kind: 'country is blocked',
    family: 'rules',
    texts: [
      'Cloudflare ¦ Error 1009: Access denied: Country or region banned (ray {id})',
      'platform ¦ Access from the country BR is not allowed by the pull zone (geo rule {num})',
    ],
  },
  {
    kind: 'address is banned',
    family: 'rules',
    texts: [
      'Cloudflare ¦ Error 1006: Access denied: Your IP address has been banned (ray {id})',
      'platform ¦ The address {ip} is on the block list of the pull zone',
    ],
  },
  {
    kind: 'hotlinking is blocked',
    family: 'rules',
    texts: [
      'Cloudflare ¦ Error 1011: Access denied (hotlinking) (ray {id})',
      'platform ¦ Request refused, the referrer {host} is not on the allowed list',
    ],
  },
  {
    kind: 'service mesh denies access',
    family: 'rules',
    texts: ['Envoy ¦ RBAC: access denied', 'Envoy ¦ response_code_details: rbac_access_denied_matched_policy[none]'],
  },
  {
    kind: 'login token has expired',
    family: 'access',
    texts: [
      'Node ¦ TokenExpiredError: jwt expired',
      'Envoy ¦ Jwt is expired',
      'Go ¦ token has invalid claims: token is expired',
    ],
  },
  {
    kind: 'login token is not genuine',
    family: 'access',
    texts: [
      'Node ¦ JsonWebTokenError: invalid signature',
      'Envoy ¦ Jwt verification fails',
      'Go ¦ token signature is invalid: crypto/rsa: verification error',
    ],
  },
  {
    kind: 'signed address has expired',
    family: 'access',
    texts: [
      'S3 ¦ AccessDenied: Request has expired (X-Amz-Expires: {num}, ServerTime: {time})',
      'platform ¦ Token authentication failed: the token for {path} expired at {time}',
    ],
  },
  {
    kind: "storage does not accept the edge's key",
    family: 'access',
    texts: [
      'S3 ¦ SignatureDoesNotMatch: The request signature we calculated does not match the signature you provided. Check your key and signing method. ({id})',
      'S3 ¦ InvalidAccessKeyId: The AWS Access Key Id you provided does not exist in our records. ({id})',
    ],
  },
  {
    kind: 'clocks differ between edge and storage',
    family: 'access',
    texts: [
      'S3 ¦ RequestTimeTooSkewed: The difference between the request time and the current time is too large. ({id})',
      'AWS ¦ Signature not yet current: {time} is still later than {time} ({d} min.)',
    ],
  },
  {
    kind: 'bucket does not exist',
    family: 'storage',
    texts: [
      'S3 ¦ NoSuchBucket: The specified bucket does not exist (BucketName: assets-{num})',
      'Google Cloud ¦ googleapi: Error 404: The specified bucket does not exist., notFound',
    ],
  },
  {
    kind: 'file is not in the storage',
    family: 'storage',
    texts: [
      'S3 ¦ NoSuchKey: The specified key does not exist. (Key: {path})',
      'nginx ¦ open() "/var/www/html{path}" failed (2: No such file or directory), client: {ip}, server: {host}',
      "Node ¦ Error: ENOENT: no such file or directory, stat '/srv/app/public{path}'",
    ],
  },
  {
    kind: 'files may not be read',
    family: 'storage',
    texts: [
      'nginx ¦ open() "/var/www/html{path}" failed (13: Permission denied), client: {ip}, server: {host}',
      "Node ¦ Error: EACCES: permission denied, open '/srv/app/public{path}'",
      'Apache ¦ (13)Permission denied: AH00132: file permissions deny server access: /var/www/html{path}',
    ],
  },
  {
    kind: 'disk is full',
    family: 'resources',
    texts: [
      'nginx ¦ pwrite() "/var/cache/nginx/{id}" failed (28: No space left on device) while reading upstream',
      'Node ¦ Error: ENOSPC: no space left on device, write',
      'Java ¦ java.io.IOException: No space left on device',
      'Postgres ¦ ERROR: could not extend file "base/{num}/{num}": No space left on device',
    ],
  },
  {
    kind: "edge's cache has no room",
    family: 'resources',
    texts: [
      'nginx ¦ [alert] could not allocate node in cache keys zone "edge" while reading response header from upstream',
      'Varnish ¦ FetchError Could not get storage',
    ],
  },
  {
    kind: 'upload is too large',
    family: 'visitors',
    texts: [
      'nginx ¦ client intended to send too large body: {bytes} bytes, client: {ip}, request: "POST {path} HTTP/1.1"',
      'Node ¦ PayloadTooLargeError: request entity too large (expected: {bytes}, limit: 102400)',
      'Java ¦ org.springframework.web.multipart.MaxUploadSizeExceededException: Maximum upload size exceeded',
    ],
  },
  {
    kind: "visitors' addresses or headers are too long",
    family: 'visitors',
    texts: [
      'nginx ¦ client sent too long URI while reading client request line, client: {ip}',
      'nginx ¦ client sent too long header line: "Cookie: {id}..." while reading client request headers, client: {ip}',
      'Java ¦ java.lang.IllegalArgumentException: Request header is too large',
    ],
  },
  {
    kind: "visitors' requests are malformed",
    family: 'visitors',
    texts: [
      'nginx ¦ client sent invalid request while reading client request line, client: {ip}, server: {host}, request: "{id}"',
      'Java ¦ java.lang.IllegalArgumentException: Invalid character found in the request target [{path}?q={id}\\{]. The valid characters are defined in RFC 7230 and RFC 3986',
    ],
  },
  {
    kind: 'visitors speak plain HTTP to the TLS port',
    family: 'visitors',
    texts: [
      'nginx ¦ client sent plain HTTP request to HTTPS port while reading client request headers, client: {ip}',
      'Go ¦ http: TLS handshake error from {ip}:{port}: client sent an HTTP request to an HTTPS server',
    ],
  },
  {
    kind: 'method is not allowed',
    family: 'visitors',
    texts: [
      "Java ¦ org.springframework.web.HttpRequestMethodNotSupportedException: Request method 'POST' is not supported",
      'Python ¦ Method Not Allowed (DELETE): {path}',
    ],
  },
  {
    kind: 'edge script takes too much',
    family: 'scripts',
    texts: [
      'Cloudflare ¦ Error 1102: Worker exceeded resource limits (ray {id})',
      'platform ¦ Edge script {num} was ended: CPU time limit of {d}0 ms exceeded',
    ],
  },
  {
    kind: 'edge script throws',
    family: 'scripts',
    texts: [
      'Cloudflare ¦ Error 1101: Worker threw exception (ray {id})',
      'platform ¦ Edge script {num}: uncaught exception in onOriginRequest',
    ],
  },
  {
    kind: 'function takes too long',
    family: 'scripts',
    texts: [
      'AWS ¦ {time} {id} Task timed out after {d}.00 seconds',
      "Google Cloud ¦ Function execution took {ms} ms, finished with status: 'timeout'",
    ],
  },
  {
    kind: 'function answers in a wrong form',
    family: 'scripts',
    texts: [
      'AWS ¦ Execution failed due to configuration error: Malformed Lambda proxy response ({id})',
      'AWS ¦ error_reason: LambdaInvalidResponse',
    ],
  },
  {
    kind: 'picture cannot be processed',
    family: 'scripts',
    texts: [
      'Node ¦ Error: Input buffer contains unsupported image format',
      'platform ¦ Optimizer: {path} could not be decoded as an image ({bytes} bytes)',
    ],
  },
];
