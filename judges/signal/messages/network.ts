import type { Kind } from '../messages.ts';

/** Connections, waiting and names. */
export const NETWORK: readonly Kind[] = [
  {
    kind: 'origin refuses connections',
    family: 'network',
    texts: [
      'nginx ¦ connect() failed (111: Connection refused) while connecting to upstream, client: {ip}, server: {host}, request: "GET {path} HTTP/1.1", upstream: "https://{ip}:{port}{path}"',
      'Envoy ¦ upstream connect error or disconnect/reset before headers. retried and the latest reset reason: remote connection failure, transport failure reason: delayed connect error: 111',
      'HAProxy ¦ Server web/app{d} is DOWN, reason: Layer4 connection problem, info: "Connection refused", check duration: {d}ms. {d} active and 0 backup servers left.',
      'Node ¦ Error: connect ECONNREFUSED {ip}:{port}',
      'Go ¦ dial tcp {ip}:{port}: connect: connection refused',
      'Java ¦ java.net.ConnectException: Connection refused (Connection refused): {host}/{ip}:{port}',
      'Cloudflare ¦ Error 521: Web server is down (ray {id})',
      'platform ¦ http_request_failure: No connection could be made because the target machine actively refused it. ({host}:{port})',
    ],
  },
  {
    kind: 'connecting to the origin takes too long',
    family: 'network',
    texts: [
      'nginx ¦ upstream timed out (110: Connection timed out) while connecting to upstream, client: {ip}, upstream: "http://{ip}:{port}{path}"',
      'Envoy ¦ upstream connect error or disconnect/reset before headers. reset reason: connection timeout',
      'HAProxy ¦ Server static/web{d} is DOWN, reason: Layer4 timeout, check duration: {ms}ms.',
      'Go ¦ dial tcp {ip}:{port}: i/o timeout',
      'Java ¦ java.net.SocketTimeoutException: connect timed out',
      'Cloudflare ¦ Error 522: Connection timed out (ray {id})',
    ],
  },
  {
    kind: 'no route to the origin',
    family: 'network',
    texts: [
      'nginx ¦ connect() to {ip}:{port} failed (113: No route to host) while connecting to upstream',
      'nginx ¦ connect() to [2a02:{d}::{d}]:{port} failed (101: Network is unreachable) while connecting to upstream',
      'Node ¦ Error: connect EHOSTUNREACH {ip}:{port} - Local (0.0.0.0:0)',
      'Go ¦ dial tcp {ip}:{port}: connect: network is unreachable',
      'Cloudflare ¦ Error 523: Origin is unreachable (ray {id})',
    ],
  },
  {
    kind: 'origin resets connections',
    family: 'network',
    texts: [
      'nginx ¦ recv() failed (104: Connection reset by peer) while reading response header from upstream, client: {ip}, request: "GET {path} HTTP/2.0"',
      'Node ¦ Error: read ECONNRESET at TLSWrap.onStreamRead (node:internal/stream_base_commons:{num}:{d})',
      'Go ¦ read tcp {ip}:{port}->{ip}:{port}: read: connection reset by peer',
      'Java ¦ java.net.SocketException: Connection reset',
      'platform ¦ network_io_error: Unable to read data from the transport connection: Connection reset by peer.',
    ],
  },
  {
    kind: 'origin closes before it answers',
    family: 'network',
    texts: [
      'nginx ¦ upstream prematurely closed connection while reading response header from upstream, client: {ip}, upstream: "http://{ip}:{port}{path}"',
      'Envoy ¦ upstream connect error or disconnect/reset before headers. reset reason: connection termination',
      'Node ¦ Error: socket hang up (code: ECONNRESET, path: {path})',
      'Varnish ¦ FetchError http first read error: EOF',
      'Go ¦ Get "https://{host}{path}": EOF',
      'Google Cloud ¦ statusDetails: backend_connection_closed_before_data_sent_to_client',
    ],
  },
  {
    kind: 'response is cut short',
    family: 'network',
    texts: [
      'nginx ¦ upstream prematurely closed connection while reading upstream, client: {ip}, request: "GET {path} HTTP/1.1"',
      'Varnish ¦ FetchError straight insufficient bytes',
      'Go ¦ copying response body: unexpected EOF',
      'Java ¦ org.apache.http.ConnectionClosedException: Premature end of Content-Length delimited message body (expected: {bytes}; received: {num})',
      'platform ¦ http_request_exception: The response ended prematurely, with at least {bytes} additional bytes expected. (ResponseEnded)',
    ],
  },
  {
    kind: 'origin hangs up while it is sent to',
    family: 'network',
    texts: [
      'nginx ¦ writev() failed (32: Broken pipe) while sending request to upstream, client: {ip}, request: "POST {path} HTTP/1.1"',
      'Go ¦ write tcp {ip}:{port}->{ip}:{port}: write: broken pipe',
      'Node ¦ Error: write EPIPE at WriteWrap.onWriteComplete [as oncomplete]',
    ],
  },
  {
    kind: 'no more connections to the origin allowed',
    family: 'network',
    texts: [
      'Envoy ¦ upstream connect error or disconnect/reset before headers. reset reason: overflow',
      'Fastly ¦ 503 Backend.max_conn reached (cache-{id})',
      'Varnish ¦ FetchError backend default: busy',
      'platform ¦ http_request_failure: Connection limit to origin {host} reached ({num} requests waiting)',
    ],
  },
  {
    kind: 'edge has no free ports',
    family: 'network',
    texts: [
      'nginx ¦ connect() to {ip}:{port} failed (99: Cannot assign requested address) while connecting to upstream',
      'HAProxy ¦ Connect() failed for backend app: no free ports.',
      'Go ¦ dial tcp {ip}:{port}: connect: cannot assign requested address',
    ],
  },
  {
    kind: 'too many open files',
    family: 'resources',
    texts: [
      'nginx ¦ accept4() failed (24: Too many open files)',
      'Go ¦ http: Accept error: accept tcp [::]:{port}: accept4: too many open files; retrying in {d}ms',
      "Node ¦ Error: EMFILE: too many open files, open '/srv/app{path}'",
      'Java ¦ java.net.SocketException: Too many open files',
    ],
  },
  {
    kind: 'proxy has no connections left for visitors',
    family: 'resources',
    texts: [
      'nginx ¦ [alert] {pid}#{pid}: {num} worker_connections are not enough',
      'Envoy ¦ closing connection from {ip}:{port}: listener connection limit reached for listener_0',
    ],
  },
  {
    kind: 'origin does not answer in time',
    family: 'waiting',
    texts: [
      'nginx ¦ upstream timed out (110: Connection timed out) while reading response header from upstream, client: {ip}, request: "GET {path} HTTP/1.1"',
      'Envoy ¦ upstream request timeout',
      'HAProxy ¦ {ip}:{port} [{time}] public app/web{d} 0/0/1/-1/{ms} 504 {num} - - sH-- 12/12/{d}/0/0 0/0 "GET {path} HTTP/1.1"',
      'Fastly ¦ 503 first byte timeout (cache-{id})',
      'Cloudflare ¦ Error 524: A timeout occurred (ray {id})',
      'Google Cloud ¦ statusDetails: backend_timeout',
      'platform ¦ http_timeout: The request was canceled due to the configured HttpClient.Timeout of {sec} seconds elapsing.',
      'Go ¦ Get "https://{host}{path}": net/http: timeout awaiting response headers',
      'Java ¦ java.net.SocketTimeoutException: Read timed out',
    ],
  },
  {
    kind: 'response stalls half-way',
    family: 'waiting',
    texts: [
      'nginx ¦ upstream timed out (110: Connection timed out) while reading upstream, client: {ip}, request: "GET {path} HTTP/1.1"',
      'Fastly ¦ 503 between bytes timeout (cache-{id})',
      'Envoy ¦ response_code_details: stream_idle_timeout ({bytes} bytes sent, response incomplete)',
      'Go ¦ net/http: request canceled (Client.Timeout or context cancellation while reading body)',
    ],
  },
  {
    kind: 'origin does not take the request body',
    family: 'waiting',
    texts: [
      'nginx ¦ upstream timed out (110: Connection timed out) while sending request to upstream, client: {ip}, request: "PUT {path} HTTP/1.1"',
      'Varnish ¦ FetchError backend write error: 110 (Connection timed out)',
    ],
  },
  {
    kind: 'visitor sends too slowly',
    family: 'visitors',
    texts: [
      'nginx ¦ client timed out (110: Connection timed out) while reading client request headers, client: {ip}',
      'HAProxy ¦ {ip}:{port} [{time}] public public/<NOSRV> -1/-1/-1/-1/{ms} 408 {num} - - cR-- 5/5/0/0/0 0/0 "<BADREQ>"',
      'Google Cloud ¦ statusDetails: client_timed_out',
      'Envoy ¦ request header timeout',
    ],
  },
  {
    kind: 'visitor gives up waiting',
    family: 'visitors',
    texts: [
      'nginx ¦ epoll_wait() reported that client prematurely closed connection, so upstream connection is closed too while sending request to upstream, client: {ip}',
      'Go ¦ http: proxy error: context canceled',
      'Google Cloud ¦ statusDetails: client_disconnected_before_any_response',
      'HAProxy ¦ {ip}:{port} [{time}] public app/web{d} 0/0/{d}/-1/{ms} -1 0 - - CH-- 9/9/{d}/1/0 0/0 "GET {path} HTTP/1.1"',
      'Java ¦ org.apache.catalina.connector.ClientAbortException: java.io.IOException: Broken pipe',
    ],
  },
  {
    kind: 'gRPC deadline passed',
    family: 'waiting',
    texts: [
      'Go ¦ rpc error: code = DeadlineExceeded desc = context deadline exceeded',
      'Java ¦ io.grpc.StatusRuntimeException: DEADLINE_EXCEEDED: deadline exceeded after {sec}.{num}s. [remote_addr={host}/{ip}:{port}]',
    ],
  },
  {
    kind: "origin's name does not exist",
    family: 'names',
    texts: [
      'nginx ¦ {host} could not be resolved (3: Host not found), client: {ip}, request: "GET {path} HTTP/1.1"',
      'Node ¦ Error: getaddrinfo ENOTFOUND {host}',
      'Go ¦ dial tcp: lookup {host} on {ip}:53: no such host',
      'Java ¦ java.net.UnknownHostException: {host}: Name or service not known',
      'platform ¦ dns_lookup: No such host is known. ({host}:{port})',
      'Cloudflare ¦ Error 1016: Origin DNS error (ray {id})',
      'CloudFront ¦ x-edge-detailed-result-type: NonS3OriginDnsError',
    ],
  },
  {
    kind: 'name servers fail',
    family: 'names',
    texts: [
      'nginx ¦ {host} could not be resolved (2: Server failure)',
      'Go ¦ dial tcp: lookup {host} on {ip}:53: server misbehaving',
      'platform ¦ dns_lookup: DNS resolution for {host} returned SERVFAIL',
    ],
  },
  {
    kind: 'name servers do not answer',
    family: 'names',
    texts: [
      'nginx ¦ {host} could not be resolved (110: Operation timed out)',
      'Node ¦ Error: getaddrinfo EAI_AGAIN {host}',
      'Go ¦ dial tcp: lookup {host}: i/o timeout',
      'Python ¦ socket.gaierror: [Errno -3] Temporary failure in name resolution',
    ],
  },
  {
    kind: 'name points to a forbidden address',
    family: 'names',
    texts: [
      'Cloudflare ¦ Error 1000: DNS points to prohibited IP (ray {id})',
      'platform ¦ http_request_failure: The origin {host} resolves to the private address {ip}, the request was not sent',
    ],
  },
  {
    kind: 'proxy has no resolver',
    family: 'names',
    texts: [
      'nginx ¦ no resolver defined to resolve {host}, client: {ip}, server: _, request: "GET {path} HTTP/1.1"',
      'OpenResty ¦ lua tcp socket connect: no resolver defined to resolve "{host}", client: {ip}',
    ],
  },
  {
    kind: 'DNSSEC validation fails',
    family: 'names',
    texts: [
      'unbound ¦ validation failure <{host}. A IN>: no keys have a DS with algorithm RSASHA256 from {ip}',
      'resolver ¦ SERVFAIL for {host}: EDE 6 (DNSSEC Bogus): failed to verify signature',
    ],
  },
];
