import type { Kind } from '../messages.ts';

/** Problems that one program alone reports: whatever is grouped, they stay by themselves. Kind, family, text. */
const ROWS: readonly (readonly [string, string, string])[] = [
  [
    'response is buffered on disk',
    'resources',
    'nginx ¦ an upstream response is buffered to a temporary file /var/cache/nginx/proxy_temp/{d}/{num} while reading upstream, client: {ip}',
  ],
  ['upstream queue is full', 'balancing', 'nginx ¦ upstream queue is full while connecting to upstream, client: {ip}'],
  [
    'request waited too long in the queue',
    'balancing',
    'HAProxy ¦ {ip}:{port} [{time}] public app/<NOSRV> 0/{ms}/-1/-1/{ms} 503 {num} - - sQ-- 99/99/{d}/0/0 0/{num} "GET {path} HTTP/1.1"',
  ],
  ['proxy crashed in its configuration', 'scripts', 'Varnish ¦ VCL_Error Too many restarts'],
  ['workspace for headers is too small', 'HTTP', 'Varnish ¦ FetchError out of workspace (Bo)'],
  ['no thread for fetching', 'resources', 'Varnish ¦ FetchError No thread available for bgfetch'],
  ['Vary header cannot be understood', 'HTTP', 'Fastly ¦ 503 Illegal Vary header from backend'],
  ['too few origins for a quorum', 'balancing', 'Fastly ¦ 503 Quorum weight not reached'],
  ['response is too large for the edge', 'HTTP', 'Fastly ¦ 503 Response object too large'],
  ['edge script is not deployed', 'scripts', 'platform ¦ Edge script {num} has no published release'],
  ['storage is switched off', 'storage', 'S3 ¦ AllAccessDisabled: All access to this object has been disabled ({id})'],
  [
    'file is in the archive tier',
    'storage',
    "S3 ¦ InvalidObjectState: The operation is not valid for the object's storage class ({id})",
  ],
  [
    'upgrade to WebSocket fails',
    'HTTP',
    'Node ¦ Error: Unexpected server response: 400 at ClientRequest.<anonymous> (ws/lib/websocket.js:{num}:{d})',
  ],
  [
    'interim answer instead of an answer',
    'HTTP',
    'nginx ¦ upstream sent unexpected status 101 while reading response header from upstream, client: {ip}',
  ],
  [
    'template engine loops',
    'code',
    'PHP ¦ Twig\\Error\\RuntimeError: Maximum function nesting level of \'{num}\' reached, aborting! in "base.html.twig" at line {d}',
  ],
  [
    'string is not UTF-8',
    'code',
    "Python ¦ UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9 in position {num}: invalid continuation byte",
  ],
  [
    'value is too long for its column',
    'database',
    "PHP ¦ SQLSTATE[22001]: String data, right truncated: 1406 Data too long for column 'title' at row {d}",
  ],
  [
    'entry exists already',
    'database',
    'Postgres ¦ ERROR: duplicate key value violates unique constraint "orders_number_key"',
  ],
  [
    'division by zero',
    'code',
    'PHP ¦ PHP Fatal error:  Uncaught DivisionByZeroError: Division by zero in /var/www/html{path}:{num}',
  ],
  [
    'session files cannot be written',
    'PHP',
    'PHP ¦ PHP Warning:  session_start(): open(/var/lib/php/sessions/sess_{id}, O_RDWR) failed: Permission denied (13)',
  ],
  [
    'licence has run out',
    'code',
    'PHP ¦ The encoded file {path} requires a license file, the license has expired (ionCube Loader)',
  ],
  [
    'message queue is gone',
    'database',
    'Java ¦ com.rabbitmq.client.AlreadyClosedException: connection is already closed due to connection error',
  ],
  [
    'application does not accept the host name',
    'code',
    "Python ¦ DisallowedHost: Invalid HTTP_HOST header: '{host}'. You may need to add '{host}' to ALLOWED_HOSTS.",
  ],
  [
    'event loop is blocked',
    'resources',
    'Node ¦ under-pressure: event loop delay {ms}.{num} ms exceeds maxEventLoopDelay, responding Service Unavailable',
  ],
  [
    'certificate authority limits orders',
    'certificates',
    'platform ¦ Certificate for {host} was not renewed: too many certificates already issued for this exact set of domains in the last 168 hours',
  ],
  [
    'CAA record forbids the certificate',
    'certificates',
    'platform ¦ Certificate for {host} was not renewed: CAA record prevents issuance',
  ],
];

export const SINGLES: readonly Kind[] = ROWS.map(([kind, family, text]) => ({ kind, family, texts: [text] }));
