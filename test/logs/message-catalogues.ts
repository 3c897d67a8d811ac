import { generated, hex, type Labelled, number, oneOf, type Random, VALUES, whole } from './labelled-logs.ts';

/**
 * Labelled messages in the style of the servers, libraries and platforms that an origin may run on, written for these tests:
 * each line of a set is one kind of message, what stands in braces varies.
 */
const CATALOGUES: Record<string, string> = {
  nginx: `
    connect() failed (111: Connection refused) while connecting to upstream, client: {ip}, server: {host}, request: "GET {path} HTTP/1.1", upstream: "http://{ip}:{port}{path}", host: "{host}"
    connect() failed (113: No route to host) while connecting to upstream, client: {ip}, server: {host}, request: "GET {path} HTTP/1.1", upstream: "http://{ip}:{port}{path}", host: "{host}"
    upstream timed out (110: Connection timed out) while reading response header from upstream, client: {ip}, server: {host}, request: "POST {path} HTTP/2.0", upstream: "https://{ip}:{port}{path}", host: "{host}", referrer: "{url}"
    upstream timed out (110: Connection timed out) while connecting to upstream, client: {ip}, server: {host}, request: "GET {path} HTTP/2.0", upstream: "https://{ip}:{port}{path}", host: "{host}"
    upstream prematurely closed connection while reading response header from upstream, client: {ip}, server: {host}, request: "GET {path} HTTP/1.1", upstream: "http://unix:/run/{word}.sock:{path}", host: "{host}"
    no live upstreams while connecting to upstream, client: {ip}, server: {host}, request: "GET {path} HTTP/1.1", upstream: "http://{word}{path}", host: "{host}"
    open() "{file}" failed (2: No such file or directory), client: {ip}, server: {host}, request: "GET {path} HTTP/1.1", host: "{host}"
    open() "{file}" failed (13: Permission denied), client: {ip}, server: {host}, request: "GET {path} HTTP/1.1", host: "{host}"
    SSL_do_handshake() failed (SSL: error:{hex8}:SSL routines:ssl3_read_bytes:sslv3 alert handshake failure:SSL alert number {n2}) while SSL handshaking to upstream, client: {ip}, server: {host}
    client intended to send too large body: {n} bytes, client: {ip}, server: {host}, request: "POST {path} HTTP/1.1", host: "{host}"
    a client request body is buffered to a temporary file {file}, client: {ip}, server: {host}
    limiting requests, excess: {float} by zone "{word}", client: {ip}, server: {host}, request: "GET {path} HTTP/2.0", host: "{host}"
    {n} worker_connections are not enough
    worker process {n} exited on signal 9
    signal process started`,
  haproxy: `
    Server {word}/{srv} is DOWN, reason: Layer4 timeout, check duration: {n}ms. {n2} active and {n2} backup servers left. {n} sessions active, {n} requeued, {n} remaining in queue.
    Server {word}/{srv} is DOWN, reason: Layer7 wrong status, code: {status5}, info: "HTTP status check returned code <{status5}>", check duration: {n}ms. {n2} active and {n2} backup servers left. {n} sessions active, {n} requeued, {n} remaining in queue.
    Server {word}/{srv} is UP, reason: Layer7 check passed, code: 200, check duration: {n}ms. {n2} active and {n2} backup servers online. {n} sessions requeued, {n} total in queue.
    backend {word} has no server available!
    Health check for server {word}/{srv} failed, reason: Layer4 connection problem, info: "Connection refused", check duration: {n}ms, status: {n2}/{n2} DOWN.
    Proxy {word} started.
    Proxy {word} stopped (cumulated conns: FE: {n}, BE: {n}).
    {ip}:{port} [{clf}] {word} {word}/{srv} {n}/{n}/{n}/{n}/{n} {status} {n} - - ---- {n}/{n}/{n}/{n}/{n} {n}/{n} "GET {path} HTTP/1.1"
    Connect from {ip}:{port} to {ip}:{port} ({word}/HTTP)`,
  'cdn origin': `
    Connection refused ({host}:{port})
    Connection reset by peer
    The operation was canceled.
    The request was canceled due to the configured HttpClient.Timeout of {n2} seconds elapsing.
    The SSL connection could not be established, see inner exception.
    The remote certificate is invalid according to the validation procedure: RemoteCertificateNameMismatch
    The remote certificate is invalid because of errors in the certificate chain: NotTimeValid
    Authentication failed because the remote party sent a TLS alert: 'HandshakeFailure'.
    Name or service not known ({host}:{port})
    Resource temporarily unavailable ({host}:{port})
    The response ended prematurely, with at least {n} additional bytes expected.
    An error occurred while sending the request to {url}
    Unable to read data from the transport connection: Connection reset by peer.
    Received an unexpected EOF or 0 bytes from the transport stream.
    Origin DNS lookup failed for {host}: NXDOMAIN
    Origin DNS lookup failed for {host}: SERVFAIL
    Response status code does not indicate success: {status5}
    Loop detected: request passed through {n2} edges (request id {uuid})
    The origin sent an invalid Content-Range header: bytes {n}-{n}/{n}
    The origin returned content encoding '{enc}' that could not be decompressed`,
  postgres: `
    duplicate key value violates unique constraint "{ident}"
    null value in column "{ident}" of relation "{ident}" violates not-null constraint
    relation "{ident}" does not exist at character {n}
    column "{ident}" does not exist at character {n}
    password authentication failed for user "{name}"
    no pg_hba.conf entry for host "{ip}", user "{name}", database "{ident}", SSL off
    could not receive data from client: Connection reset by peer
    deadlock detected
    process {n} still waiting for ShareLock on transaction {n} after {float} ms
    process {n} acquired ShareLock on transaction {n} after {float} ms
    automatic vacuum of table "{ident}.public.{ident}": index scans: {n2}
    checkpoint starting: time
    checkpoint complete: wrote {n} buffers ({float}%); {n2} WAL file(s) added, {n2} removed, {n2} recycled; write={float} s, sync={float} s, total={float} s
    canceling statement due to statement timeout
    remaining connection slots are reserved for non-replication superuser connections
    temporary file: path "base/pgsql_tmp/pgsql_tmp{n}.{n2}", size {n}
    duration: {float} ms  statement: SELECT * FROM {ident} WHERE id = {n}`,
  node: `
    connect ECONNREFUSED {ip}:{port}
    connect ETIMEDOUT {ip}:{port}
    getaddrinfo ENOTFOUND {host}
    getaddrinfo EAI_AGAIN {host}
    ENOENT: no such file or directory, open '{file}'
    EACCES: permission denied, open '{file}'
    Unexpected token {char} in JSON at position {n}
    Cannot read properties of undefined (reading '{ident}')
    Cannot find module '{word}'
    listen EADDRINUSE: address already in use :::{port}
    jwt expired at {iso}
    Invalid email address: {email}
    Request {uuid} failed after {dur}: timeout of {n}ms exceeded
    Request {uuid} completed in {dur} with status {status}
    User {email} logged in from {ip} using {browser}
    Job {word}-{rand} stalled more than allowable limit
    Reached heap limit Allocation failed - JavaScript heap out of memory
    Loaded locale {locale} from {file} ({size})`,
  envoy: `
    upstream connect error or disconnect/reset before headers. reset reason: connection failure, transport failure reason: delayed connect error: 111
    upstream connect error or disconnect/reset before headers. reset reason: connection termination
    upstream request timeout
    no healthy upstream
    [C{n}][S{n64}] cluster '{word}' match for URL '{path}'
    [C{n}] TLS error: {n}:SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED
    [C{n}] closing socket: {n2}
    add/update cluster {word} during init
    cm init: adding: cluster={word} primary={n2} secondary={n2}
    lds: add/update listener '{ip}_{port}'
    gRPC config stream closed: 14, connection error to {host}:{port}
    StreamAggregatedResources gRPC config stream closed since {n}s ago: 14, no healthy upstream
    main thread watchdog timed out after {n} ms
    runtime: layer '{word}' loaded {n} keys from {file}
    shutting down parent after drain`,
  varnish: `
    Child ({n}) died signal=6
    Child ({n}) Panic at: {rfcdate}
    Child ({n}) Started
    Backend {word}.{srv}: unhealthy 0/{n2} probe, no response
    Backend fetch {n}: http read error: EOF
    FetchError {n} Could not get storage
    backend {word}: Busy
    VCL_error: Could not delete 'vcl_{iso}': busy
    VSL: {n} records dropped after {dur}
    Expired {n} objects in {float} s from {word} ({size} freed)`,
  mysql: `
    Aborted connection {n} to db: '{ident}' user: '{name}' host: '{ip}' (Got timeout reading communication packets)
    Access denied for user '{name}'@'{ip}' (using password: YES)
    Got an error reading communication packets
    InnoDB: page_cleaner: {n}ms intended loop took {n}ms. The settings might not be optimal. (flushed={n} and evicted={n}, during the time.)
    IP address '{ip}' could not be resolved: Name or service not known
    Deadlock found when trying to get lock; try restarting transaction
    Lock wait timeout exceeded; try restarting transaction
    Table './{ident}/{ident}' is marked as crashed and should be repaired
    Slave I/O for channel '': error connecting to master '{name}@{host}:{port}' - retry-time: {n2} retries: {n2}, Error_code: {n}
    Too many connections
    Unknown column '{ident}' in 'field list'
    /usr/sbin/mysqld: ready for connections. Version: '{version}'  socket: '/var/run/mysqld/mysqld.sock'  port: {port}`,
  kubernetes: `
    Back-off restarting failed container {word} in pod {pod}_{word}({uuid})
    Liveness probe failed: Get "http://{ip}:{port}{path}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)
    Readiness probe failed: HTTP probe failed with statuscode: {status5}
    Failed to pull image "{host}/{word}/{word}:{version}": rpc error: code = NotFound desc = failed to resolve reference
    Successfully pulled image "{host}/{word}/{word}:{version}" in {dur}
    Created container {word}
    Started container {word}
    0/{n2} nodes are available: {n2} Insufficient memory, {n2} node(s) had taints that the pod didn't tolerate.
    Successfully assigned {word}/{pod} to {node}
    Scaled up replica set {word}-{hex10} to {n2}
    Stopping container {word}
    MountVolume.SetUp failed for volume "{word}-{rand}" : secret "{word}" not found
    Container {word} failed liveness probe, will be restarted
    Memory cgroup out of memory: Killed process {n} ({word}) total-vm:{n}kB, anon-rss:{n}kB, file-rss:{n}kB, shmem-rss:{n}kB`,
  'redis and queues': `
    Background saving started by pid {n}
    DB saved on disk
    RDB: {n2} MB of memory used by copy-on-write
    Asynchronous AOF fsync is taking too long (disk is busy?). Writing the AOF buffer without waiting for fsync to complete, this may slow down Redis.
    MASTER <-> REPLICA sync started
    Connection with replica {ip}:{port} lost.
    Client id={n} addr={ip}:{port} fd={n2} name= age={n} idle={n2} flags=N db=0 closed for overcoming of output buffer limits.
    [Consumer clientId={word}-{n2}, groupId={word}] Offset commit failed on partition {word}-{n2} at offset {n}: The coordinator is not aware of this member.
    [Consumer clientId={word}-{n2}, groupId={word}] Discovered group coordinator {host}:{port} (id: {n} rack: null)
    Member {word}-{n2}-{uuid} in group {word} has failed, removing it from the group
    Preparing to rebalance group {word} in state PreparingRebalance with old generation {n} (__consumer_offsets-{n2}) (reason: removing member on LeaveGroup)
    closing AMQP connection <{n2}.{n}.{n2}> ({ip}:{port} -> {ip}:{port}, vhost: '/', user: '{name}')
    missed heartbeats from client, timeout: {n2}s`,
  'web application': `
    Uncaught PHP Exception Symfony\\Component\\HttpKernel\\Exception\\NotFoundHttpException: "No route found for "GET {url}"" at {file} line {n}
    PHP Fatal error:  Allowed memory size of {n} bytes exhausted (tried to allocate {n} bytes) in {file} on line {n}
    PHP Warning:  Undefined array key "{ident}" in {file} on line {n}
    PHP Warning:  Undefined variable \${ident} in {file} on line {n}
    [{rand}] Processing by {ctrl}Controller#show as HTML
    [{rand}] Completed 200 OK in {n}ms (Views: {float}ms | ActiveRecord: {float}ms)
    [{rand}] Completed 500 Internal Server Error in {n}ms (ActiveRecord: {float}ms)
    Invalid HTTP_HOST header: '{host}'. You may need to add '{host}' to ALLOWED_HOSTS.
    Internal Server Error: {path}
    Not Found: {path}
    Forbidden (CSRF token missing): {path}
    order {n} for customer {email} rejected: insufficient stock of {sku}
    order {n} for customer {email} shipped via {word}, tracking {rand}
    payment intent pi_{rand} requires action
    webhook {uuid} delivered to {url} in {dur}
    webhook {uuid} to {url} failed with {status5}, retry {n2} of 5 in {dur}
    session {b64} expired
    rate limit exceeded for key {b64}: {n} requests in {dur}
    exported {n} rows to s3://{word}-backup/{iso}/{word}.parquet ({size})
    feature flag {ident} evaluated to {bool} for tenant {uuid}`,
  tls: `
    remote error: tls: bad certificate
    tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time {iso} is after {iso}
    tls: failed to verify certificate: x509: certificate is valid for {host}, not {host}
    tls: failed to verify certificate: x509: certificate signed by unknown authority
    http: TLS handshake error from {ip}:{port}: EOF
    http: TLS handshake error from {ip}:{port}: read tcp {ip}:{port}->{ip}:{port}: i/o timeout
    acme: error: 403 :: urn:ietf:params:acme:error:unauthorized :: Invalid response from http://{host}/.well-known/acme-challenge/{b64}: 404
    acme: error: 429 :: urn:ietf:params:acme:error:rateLimited :: too many certificates already issued for {host}
    certificate {fingerprint} for {host} renewed, valid until {iso}
    OCSP stapling: responder {url} returned {status5}
    dial tcp: lookup {host} on {ip}:53: no such host
    dial tcp {ip}:{port}: connect: connection refused
    dial tcp [{ipv6}]:{port}: connect: network is unreachable
    context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
  'cloud functions': `
    START RequestId: {uuid} Version: $LATEST
    END RequestId: {uuid}
    REPORT RequestId: {uuid} Duration: {float} ms Billed Duration: {n} ms Memory Size: {n} MB Max Memory Used: {n} MB
    {iso} {uuid} Task timed out after {float} seconds
    Script {word} exceeded its CPU time limit of {n2} ms
    Script {word} (build {hash}) deployed to {n} regions
    Uncaught exception in {word}.{js}:{n}:{n2}: TypeError: Cannot read properties of null (reading '{ident}')
    container {hash} exited with code 137
    pulling layer sha256:{hash}{hash}
    volume {uuid} attached to node {node} at /dev/{dev}
    region {region}: {n2} of {n2} instances healthy
    autoscaler: app {word} scaled from {n2} to {n2} in {region}
    SQLITE_BUSY: database is locked
    SQLITE_CONSTRAINT: UNIQUE constraint failed: {ident}.{ident}
    token for {email} issued, expires {rfcdate}`,
  mail: `
    {qid}: client={host}[{ip}]
    {qid}: message-id=<{rand}@{host}>
    {qid}: from=<{email}>, size={n}, nrcpt={n2} (queue active)
    {qid}: to=<{email}>, relay={host}[{ip}]:25, delay={float}, delays={float}/{float}/{float}/{float}, dsn=2.0.0, status=sent (250 2.0.0 Ok: queued as {qid})
    {qid}: to=<{email}>, relay=none, delay={n}, delays={n}/{float}/{float}/0, dsn=4.4.1, status=deferred (connect to {host}[{ip}]:25: Connection timed out)
    {qid}: removed
    connect from {host}[{ip}]
    disconnect from {host}[{ip}] ehlo=1 mail=1 rcpt=1 data=1 quit=1 commands=5
    lost connection after AUTH from unknown[{ip}]
    warning: hostname {host} does not resolve to address {ip}
    NOQUEUE: reject: RCPT from {host}[{ip}]: 450 4.7.1 <{email}>: Recipient address rejected: Greylisted`,
  'name server': `
    client @0x{hash} {ip}#{port} ({host}): query: {host} IN AAAA +E(0)K ({ip})
    client @0x{hash} {ip}#{port} ({host}): query (cache) '{host}/A/IN' denied
    zone {zone}/IN: loaded serial {n}
    zone {zone}/IN: transferred serial {n}
    zone {zone}/IN: refresh: retry limit for master {ip}#53 exceeded (source 0.0.0.0#0)
    lame server resolving '{host}' (in '{zone}'?): {ip}#53
    connection refused resolving '{host}/A/IN': {ip}#53
    validating {host}/A: no valid signature found
    DNS format error from {ip}#53 resolving {host}/AAAA: Name {host} (SOA) not subdomain of zone {host} -- invalid response
    received control channel command 'reload'`,
  search: `
    {shard} marking and sending shard failed due to [failed recovery]
    [{node}] high disk watermark [90%] exceeded on [{rand}][{node}][{file}] free: {size}[{pct}], shards will be relocated away from this node
    [{word}-2026] creating index, cause [auto(bulk api)], templates [{word}], shards [{n2}]/[{n2}]
    [gc][{n}] overhead, spent [{dur}] collecting in the last [{dur}]
    Cluster health status changed from [YELLOW] to [GREEN] (reason: [shards started [{shard}]]).
    Cluster health status changed from [GREEN] to [RED] (reason: [shards failed [{shard}]]).
    failed to execute bulk item (index) index {{word}} with id [{rand}]
    removed {{node}}{{rand}}{{ip}}{{ip}:{port}}, term: {n}, version: {n}, reason: ApplyCommitRequest
    took [{dur}], which is over [10s], to compute cluster state update for [cluster_reroute(reroute after starting shards)]
    no known master node, scheduling a retry`,
  builds: `
    Cloning repository https://{host}/{word}/{word}.git
    Checking out {sha7} as detached HEAD (ref is {branch})
    Job succeeded
    ERROR: Job failed: exit code {n2}
    ERROR: Job failed: execution took longer than {dur} seconds
    Uploading artifacts as "archive" to coordinator... 201 Created id={n} responseStatus=201 Created token={rand}
    Downloading artifacts from coordinator... ok host={host} id={n} responseStatus=200 OK
    npm ERR! code ELIFECYCLE
    npm ERR! {word}@{version} build: \`webpack --mode production\`
    added {n} packages from {n} contributors and audited {n} packages in {dur}
    Tests:       {n2} failed, {n} passed, {n} total
    Time:        {float} s, estimated {n2} s
    Step {n2}/{n2} : COPY . .
    Successfully built {hash}
    Successfully tagged {host}/{word}:{version}
    pushed {branch}: digest: sha256:{hash}{hash} size: {n}`,
  'object storage': `
    PUT object {word}/{uuid}.jpg ({n} bytes) by {email} from {ip}: 200 in {dur}
    GET object {word}/{day}/report.csv from {ip}: 403 AccessDenied
    multipart upload {b64} of {word}/{uuid}.mp4 aborted after {dur}
    multipart upload {b64} of {word}/{uuid}.mp4 completed: {n2} parts, {size}
    replication of {word}/{uuid}.jpg to {region} failed: connection reset by peer
    replication lag in {region} is {dur} ({n} objects pending)
    lifecycle rule {rand} deleted {n} objects older than {n} days
    checksum mismatch for {word}/{uuid}.jpg: expected {hash}, got {hash}
    bucket {word} created in {region} by {email}
    bucket {word} deleted by {email}
    quota of bucket {word} exceeded: {size} of {size}
    disk /dev/{dev} on {node} reports {n} reallocated sectors`,
  network: `
    [UFW BLOCK] IN=eth0 OUT= MAC={mac} SRC={ip} DST={ip} LEN={n2} TOS=0x00 PREC=0x00 TTL={n2} ID={n} PROTO=TCP SPT={port} DPT={port} WINDOW={n} RES=0x00 SYN URGP=0
    DHCPDISCOVER from {mac} via eth{n2}
    DHCPOFFER on {ip} to {mac} via eth{n2}
    DHCPREQUEST for {ip} from {mac} via eth{n2}
    neighbor {ip} Down BGP Notification sent
    neighbor {ip} Up
    Interface GigabitEthernet{n2}/{n2}, changed state to down
    Interface GigabitEthernet{n2}/{n2}, changed state to up
    %SEC-6-IPACCESSLOGP: list {n} denied tcp {ip}({port}) -> {ip}({port}), 1 packet
    peer {b64}: handshake did not complete after {n2} seconds, retrying (try {n2})
    tunnel {word}: peer {ip}:{port} not responding for {dur}, closing
    tunnel {word}: established with {ip}:{port}, cipher AES-256-GCM`,
};

/** The sets by name; the same for the same seed. */
export function catalogueLogs(lines: number, seed = 1): [name: string, messages: Labelled[]][] {
  return generated(CATALOGUES, MORE_VALUES, lines, seed);
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const letters = (random: Random, length: number, all: string) =>
  Array.from({ length }, () => all[whole(random, all.length)]).join('');
const two = (value: number) => String(value).padStart(2, '0');
const clock = (random: Random) => [24, 60, 60].map((most) => two(whole(random, most))).join(':');
const month = (random: Random) => oneOf(random, ['Jan', 'May', 'Nov']);
const value = (name: string, random: Random): string => MORE_VALUES[name]!(random);

const WORDS = [
  ...['alpha', 'checkout', 'images', 'session', 'telemetry', 'billing', 'launcher', 'orders', 'catalog', 'search-api'],
  ...['payment_worker', 'web', 'auth', 'media-proxy', 'frontend', 'cron'],
];
const NAMES = ['ada', 'webmaster', 'chen', 'app_rw', 'root', 'k.meyer', 'replicator', 'reporting'];

const MORE_VALUES: Record<string, (random: Random) => string> = {
  ...VALUES,
  n2: (random) => String(whole(random, 40)),
  n64: (random) => `${whole(random, 1e9)}${whole(random, 1e9)}`,
  float: (random) => (random() * 1000).toFixed(1 + whole(random, 3)),
  pct: (random) => `${(random() * 100).toFixed(1)}%`,
  ipv6: (random) => `2a02:${hex(random, 4)}:${hex(random, 3)}::${hex(random, 2)}`,
  mac: (random) => Array.from({ length: 6 }, () => hex(random, 2)).join(':'),
  host: (random) =>
    oneOf(random, [
      `${oneOf(random, ['shop', 'origin', 'api', 'cdn', 'static', 'www'])}.example.com`,
      `${oneOf(random, ['shop', 'origin'])}-${whole(random, 90)}.eu.example.net`,
      `${oneOf(random, ['blog', 'img'])}.example.co.uk`,
      `ip-10-${whole(random, 255)}-${whole(random, 255)}-7.internal.example`,
    ]),
  zone: (random) => value('host', random),
  path: (random) =>
    oneOf(random, [
      `/${oneOf(random, WORDS)}`,
      `/${oneOf(random, WORDS)}/${number(random)}`,
      `/${oneOf(random, WORDS)}/${hex(random, 12)}.jpg`,
      `/api/v2/${oneOf(random, WORDS)}/${value('uuid', random)}?page=${number(random)}`,
      '/',
    ]),
  url: (random) => `https://${value('host', random)}${value('path', random)}`,
  file: (random) =>
    `/var/www/${oneOf(random, WORDS)}/${oneOf(random, ['index', 'Kernel', 'main', 'app', 'Order'])}.${oneOf(random, ['php', 'js', 'html', 'json'])}`,
  word: (random) => oneOf(random, WORDS),
  name: (random) => oneOf(random, NAMES),
  ident: (random) =>
    oneOf(random, ['users_pkey', 'order_items', 'customer_id', 'email', 'tenants', 'idx_orders_created_at', 'sku']),
  srv: (random) => `${oneOf(random, ['web', 'srv', 'app'])}${whole(random, 9)}`,
  hex8: (random) => hex(random, 8).toUpperCase(),
  hex10: (random) => hex(random, 10),
  sha7: (random) => hex(random, 7),
  qid: (random) => hex(random, 10).toUpperCase(),
  b64: (random) => letters(random, 22, LETTERS + LETTERS.toUpperCase() + DIGITS) + oneOf(random, ['==', '=', '']),
  rand: (random) => letters(random, 12, LETTERS + DIGITS),
  status5: (random) => String(oneOf(random, [500, 502, 503, 504])),
  enc: (random) => oneOf(random, ['gzip', 'br', 'deflate', 'zstd']),
  char: (random) => oneOf(random, ['<', 'u', '}', 'o']),
  day: (random) => `2026-${two(1 + whole(random, 12))}-${two(1 + whole(random, 28))}`,
  iso: (random) => `${value('day', random)}T${clock(random)}Z`,
  clf: (random) => `${two(1 + whole(random, 28))}/${month(random)}/2026:${clock(random)}.${100 + whole(random, 900)}`,
  rfcdate: (random) =>
    `${oneOf(random, ['Mon', 'Wed', 'Sat'])}, ${two(1 + whole(random, 28))} ${month(random)} 2026 ${clock(random)} GMT`,
  dur: (random) =>
    oneOf(random, [
      `${whole(random, 900)}ms`,
      `${(random() * 90).toFixed(2)}s`,
      `${1 + whole(random, 9)}m${whole(random, 60)}s`,
      `${1 + whole(random, 9)}h${whole(random, 60)}m0s`,
    ]),
  size: (random) => `${(random() * 900).toFixed(1)} ${oneOf(random, ['kB', 'MB', 'GiB'])}`,
  email: (random) => `${oneOf(random, NAMES)}@${oneOf(random, ['example.com', 'mail.example.org'])}`,
  browser: (random) => oneOf(random, ['Firefox 127', 'Chrome 125.0', 'Safari 17']),
  locale: (random) => oneOf(random, ['de-DE', 'en_US', 'pt-BR', 'zh-Hans']),
  version: (random) =>
    oneOf(random, [
      `${whole(random, 9)}.${whole(random, 30)}.${whole(random, 9)}`,
      `v${whole(random, 9)}.${whole(random, 30)}`,
      `8.0.${whole(random, 40)}-rc.${whole(random, 4)}`,
    ]),
  pod: (random) => `${oneOf(random, WORDS)}-${hex(random, 10)}-${letters(random, 5, 'bcdfghjklmnpqrstvwxz2456789')}`,
  node: (random) => `node-${hex(random, 4)}.eu-central-1`,
  ctrl: (random) => oneOf(random, ['Orders', 'Users', 'Admin::Reports']),
  sku: (random) => `SKU-${whole(random, 9999)}`,
  fingerprint: (random) => Array.from({ length: 20 }, () => hex(random, 2).toUpperCase()).join(':'),
  js: (random) => oneOf(random, ['js', 'mjs']),
  dev: (random) => `sd${oneOf(random, ['b', 'c', 'd'])}${whole(random, 4)}`,
  region: (random) => oneOf(random, ['eu-central-1', 'us-east-2', 'ap-south-1', 'DE', 'NY']),
  branch: (random) => oneOf(random, ['main', 'feature/login-form', 'fix/1234-cache', 'release-2.4']),
  shard: (random) => `[${oneOf(random, WORDS)}-${value('day', random)}][${whole(random, 5)}]`,
};
