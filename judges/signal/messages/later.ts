import type { Kind } from '../messages.ts';

/*
 * Somebody wrote this set who has read the rules of messages.ts, tls.ts as an example and public documentation, but not the code
 * that groups. No wording of it stands in the other files, though a kind may.
 */

/** Messages that were written later than the others, for a judgement of rules that nobody tuned on them. */
export const LATER: readonly Kind[] = [
  {
    kind: 'nobody listens at the origin',
    family: 'network',
    texts: [
      'Apache ¦ [proxy:error] [pid {pid}] (111)Connection refused: AH00957: HTTP: attempt to connect to {ip}:{port} ({host}) failed',
      "Python ¦ HTTPSConnectionPool(host='{host}', port=443): Max retries exceeded with url: {path} (Caused by NewConnectionError('<urllib3.connection.HTTPSConnection object at 0x{id}>: Failed to establish a new connection: [Errno 111] Connection refused'))",
      'Netty ¦ io.netty.channel.AbstractChannel$AnnotatedConnectException: Connection refused: {host}/{ip}:{port}',
      '.NET ¦ System.Net.Http.HttpRequestException: No connection could be made because the target machine actively refused it. ({host}:{port})',
      'Ruby ¦ Errno::ECONNREFUSED: Failed to open TCP connection to {host}:{port} (Connection refused - connect(2) for "{host}" port {port})',
      'Envoy ¦ upstream connect error or disconnect/reset before headers. reset reason: remote connection failure, transport failure reason: delayed connect error: 111',
    ],
  },
  {
    kind: 'connecting to the origin takes too long',
    family: 'network',
    texts: [
      'Apache ¦ [proxy:error] [pid {pid}] (110)Connection timed out: AH00957: HTTPS: attempt to connect to {ip}:{port} ({host}) failed',
      'undici ¦ ConnectTimeoutError: Connect Timeout Error (attempted address: {host}:443, timeout: {ms}ms) (code: UND_ERR_CONNECT_TIMEOUT)',
      "Python ¦ HTTPSConnectionPool(host='{host}', port=443): Max retries exceeded with url: {path} (Caused by ConnectTimeoutError(<urllib3.connection.HTTPSConnection object at 0x{id}>, 'Connection to {host} timed out. (connect timeout={sec})'))",
      'Netty ¦ io.netty.channel.ConnectTimeoutException: connection timed out after {ms} ms: {host}/{ip}:{port}',
      'Ruby ¦ Net::OpenTimeout: Failed to open TCP connection to {host}:443 (execution expired)',
    ],
  },
  {
    kind: 'origin is connected and takes too long to answer',
    family: 'network',
    texts: [
      'Apache ¦ (70007)The timeout specified has expired: [client {ip}:{port}] AH01102: error reading status line from remote server {host}:{port}',
      'undici ¦ TypeError: fetch failed, cause: HeadersTimeoutError: Headers Timeout Error (code: UND_ERR_HEADERS_TIMEOUT)',
      "Python ¦ requests.exceptions.ReadTimeout: HTTPSConnectionPool(host='{host}', port=443): Read timed out. (read timeout={sec})",
      '.NET ¦ System.Threading.Tasks.TaskCanceledException: The request was canceled due to the configured HttpClient.Timeout of {sec} seconds elapsing.',
      'Azure Front Door ¦ ErrorInfo: OriginTimeout',
    ],
  },
  {
    kind: 'origin drops the connection before it answers',
    family: 'network',
    texts: [
      '.NET ¦ System.IO.IOException: Unable to read data from the transport connection: An existing connection was forcibly closed by the remote host.',
      'Apache ¦ (104)Connection reset by peer: [client {ip}:{port}] AH01102: error reading status line from remote server {host}:{port}',
      'undici ¦ TypeError: fetch failed, cause: SocketError: other side closed (code: UND_ERR_SOCKET)',
      "Python ¦ requests.exceptions.ConnectionError: ('Connection aborted.', RemoteDisconnected('Remote end closed connection without response'))",
    ],
  },
  {
    kind: 'response breaks off in the middle of its body',
    family: 'network',
    texts: [
      "Python ¦ urllib3.exceptions.ProtocolError: ('Connection broken: IncompleteRead({bytes} bytes read, {num} more expected)', IncompleteRead({bytes} bytes read, {num} more expected))",
      'Go ¦ httputil: ReverseProxy read error during body copy: unexpected EOF',
      'curl ¦ (18) transfer closed with {bytes} bytes remaining to read',
      '.NET ¦ System.Net.Http.HttpIOException: The response ended prematurely, with at least {bytes} additional bytes expected. (ResponseEnded)',
    ],
  },
  {
    kind: 'no way through the network to the origin',
    family: 'network',
    texts: [
      'Apache ¦ [proxy:error] [pid {pid}] (113)No route to host: AH00957: HTTP: attempt to connect to {ip}:{port} ({host}) failed',
      'Java ¦ java.net.NoRouteToHostException: No route to host (Host unreachable)',
    ],
  },
  {
    kind: "origin's name does not exist",
    family: 'network',
    texts: [
      'curl ¦ (6) Could not resolve host: {host}',
      "Netty ¦ java.net.UnknownHostException: Failed to resolve '{host}' [A(1), AAAA(28)] and search domain query for configured domains failed as well",
      'Apache ¦ [proxy:error] [client {ip}:{port}] AH00898: DNS lookup failure for: {host} returned by {path}',
      'Python ¦ Max retries exceeded with url: {path} (Caused by NameResolutionError("<urllib3.connection.HTTPSConnection object at 0x{id}>: Failed to resolve \'{host}\' ([Errno -2] Name or service not known)"))',
    ],
  },
  {
    kind: 'name server fails or stays silent',
    family: 'network',
    texts: [
      'Go ¦ dial tcp: lookup {host} on {ip}:53: read udp {ip}:{port}->{ip}:53: i/o timeout',
      'PHP ¦ php_network_getaddresses: getaddrinfo for {host} failed: Temporary failure in name resolution',
    ],
  },
  {
    kind: 'signatures of the DNS zone do not hold',
    family: 'network',
    texts: [
      'Unbound ¦ info: validation failure <{host}. A IN>: signature expired from {ip} for key example.com. while building chain of trust',
    ],
  },
  {
    kind: 'edge has no way out over IPv6',
    family: 'network',
    texts: [
      'Go ¦ dial tcp [2a00:1450:4001:80b::{num}]:443: connect: network is unreachable',
      'nginx ¦ connect() to [2a00:1450:4001:80b::{num}]:443 failed (101: Network is unreachable) while connecting to upstream, client: {ip}',
    ],
  },
  {
    kind: 'outgoing ports are used up',
    family: 'network',
    texts: [
      'HAProxy ¦ Connect() failed for backend web: no free ports.',
      'Java ¦ java.net.NoRouteToHostException: Cannot assign requested address (Address not available)',
    ],
  },
  {
    kind: 'file descriptors are used up',
    family: 'network',
    texts: [
      'Python ¦ OSError: [Errno 24] Too many open files',
      "HAProxy ¦ Proxy public reached process FD limit (maxsock={num}). Please check 'ulimit-n' and restart.",
      'nginx ¦ [alert] {pid}#{pid}: accept4() failed (24: Too many open files)',
    ],
  },
  {
    kind: 'visitor leaves before the answer is there',
    family: 'network',
    texts: [
      'Kestrel ¦ Microsoft.AspNetCore.Connections.ConnectionResetException: The client has disconnected',
      'uWSGI ¦ SIGPIPE: writing to a closed pipe/socket/fd (probably the client disconnected) on request {path} (ip {ip}) !!!',
    ],
  },
  {
    kind: 'all connections that an origin may have are taken',
    family: 'network',
    texts: [
      'Varnish ¦ FetchError backend web: busy',
      'Java ¦ org.apache.http.conn.ConnectionPoolTimeoutException: Timeout waiting for connection from pool',
      'Reactor Netty ¦ reactor.netty.internal.shaded.reactor.pool.PoolAcquirePendingLimitException: Pending acquire queue has reached its maximum size of {num}',
    ],
  },
  {
    kind: 'system forbids the proxy to connect',
    family: 'network',
    texts: [
      'nginx ¦ [crit] connect() to {ip}:{port} failed (13: Permission denied) while connecting to upstream, client: {ip}',
      'Apache ¦ [proxy:error] [pid {pid}] (13)Permission denied: AH00957: HTTP: attempt to connect to {ip}:{port} ({host}) failed',
    ],
  },
  {
    kind: 'table of tracked connections is full',
    family: 'network',
    texts: ['kernel ¦ nf_conntrack: nf_conntrack: table full, dropping packet'],
  },
  {
    kind: 'flood of half-open connections',
    family: 'network',
    texts: ['kernel ¦ TCP: request_sock_TCP: Possible SYN flooding on port {ip}:{port}. Sending cookies.'],
  },
  {
    kind: 'buffer for UDP is too small for QUIC',
    family: 'network',
    texts: [
      'quic-go ¦ failed to sufficiently increase receive buffer size (was: 208 kiB, wanted: 7168 kiB, got: 416 kiB)',
    ],
  },
  {
    kind: 'QUIC handshake does not come to its end',
    family: 'network',
    texts: ['quic-go ¦ timeout: handshake did not complete in time'],
  },
  {
    kind: 'certificate has run out',
    family: 'tls',
    texts: [
      'Python ¦ ssl.SSLCertVerificationError: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired (_ssl.c:{num})',
      'Ruby ¦ OpenSSL::SSL::SSLError: SSL_connect returned=1 errno=0 peeraddr={ip}:443 state=error: certificate verify failed (certificate has expired)',
      'Apache ¦ [ssl:info] [remote {ip}:443] AH02004: SSL Proxy: Peer certificate is expired',
      'curl ¦ (60) SSL certificate problem: certificate has expired',
    ],
  },
  {
    kind: "certificate does not have the origin's name",
    family: 'tls',
    texts: [
      "Python ¦ ssl.SSLCertVerificationError: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: Hostname mismatch, certificate is not valid for '{host}'. (_ssl.c:{num})",
      'Apache ¦ [ssl:info] [remote {ip}:443] AH02411: SSL Proxy: Peer certificate does not match for hostname {host}',
      "curl ¦ (60) SSL: no alternative certificate subject name matches target host name '{host}'",
      'Java ¦ java.security.cert.CertificateException: No name matching {host} found',
    ],
  },
  {
    kind: 'origin is named by its number, which no certificate has',
    family: 'tls',
    texts: [
      "Go ¦ tls: failed to verify certificate: x509: cannot validate certificate for {ip} because it doesn't contain any IP SANs",
      'Java ¦ javax.net.ssl.SSLHandshakeException: No subject alternative names matching IP address {ip} found',
    ],
  },
  {
    kind: 'nobody trusted has issued the certificate',
    family: 'tls',
    texts: [
      'Python ¦ ssl.SSLCertVerificationError: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: unable to get local issuer certificate (_ssl.c:{num})',
      'PHP ¦ cURL error 60: SSL certificate problem: unable to get local issuer certificate for https://{host}{path}',
      '.NET ¦ System.Security.Authentication.AuthenticationException: The remote certificate is invalid because of errors in the certificate chain: PartialChain',
      'rustls ¦ invalid peer certificate: UnknownIssuer',
    ],
  },
  {
    kind: 'certificate has its name only in the old field',
    family: 'tls',
    texts: [
      'Go ¦ tls: failed to verify certificate: x509: certificate relies on legacy Common Name field, use SANs instead',
    ],
  },
  {
    kind: 'origin uses too small a number for the key exchange',
    family: 'tls',
    texts: ['Python ¦ ssl.SSLError: [SSL: DH_KEY_TOO_SMALL] dh key too small (_ssl.c:{num})'],
  },
  {
    kind: 'origin only knows the old renegotiation',
    family: 'tls',
    texts: [
      'Python ¦ ssl.SSLError: [SSL: UNSAFE_LEGACY_RENEGOTIATION_DISABLED] unsafe legacy renegotiation disabled (_ssl.c:{num})',
    ],
  },
  {
    kind: 'plain HTTP comes to a port for TLS',
    family: 'tls',
    texts: [
      'Tomcat ¦ Bad Request: This combination of host and port requires TLS.',
      'Apache ¦ [ssl:info] [client {ip}:{port}] AH01996: SSL handshake failed: HTTP spoken on HTTPS port; trying to send HTML error page',
    ],
  },
  {
    kind: 'TLS comes to a port for plain HTTP',
    family: 'tls',
    texts: [
      'Puma ¦ HTTP parse error, malformed request: #<Puma::HttpParserError: Invalid HTTP format, parsing fails. Are you trying to open an SSL connection to a non-SSL Puma?>',
      "Django ¦ code 400, message You're accessing the development server over HTTPS, but it only supports HTTP.",
    ],
  },
  {
    kind: 'TLS is expected of the origin, which speaks plainly',
    family: 'tls',
    texts: [
      'Python ¦ ssl.SSLError: [SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:{num})',
      'Netty ¦ io.netty.handler.ssl.NotSslRecordException: not an SSL/TLS record: 485454502f312e3120343030{id}',
      'Envoy ¦ upstream connect error or disconnect/reset before headers. reset reason: remote connection failure, transport failure reason: TLS_error:|268435703:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER:TLS_error_end',
      '.NET ¦ System.Security.Authentication.AuthenticationException: Cannot determine the frame size or a corrupted frame was received.',
    ],
  },
  {
    kind: 'both sides have no version of TLS in common',
    family: 'tls',
    texts: [
      'Python ¦ ssl.SSLError: [SSL: TLSV1_ALERT_PROTOCOL_VERSION] tlsv1 alert protocol version (_ssl.c:{num})',
      'Go ¦ tls: server selected unsupported protocol version 301',
      'Schannel ¦ A fatal alert was received from the remote endpoint. The TLS protocol defined fatal alert code is 70.',
      'nginx ¦ SSL_do_handshake() failed (SSL: error:0A000102:SSL routines::unsupported protocol) while SSL handshaking, client: {ip}, server: 0.0.0.0:443',
    ],
  },
  {
    kind: 'caller shows no certificate where one is asked for',
    family: 'tls',
    texts: [
      "Go ¦ http: TLS handshake error from {ip}:{port}: tls: client didn't provide a certificate",
      'Java ¦ javax.net.ssl.SSLHandshakeException: Empty client certificate chain',
      'Envoy ¦ TLS_error:|268435648:SSL routines:OPENSSL_internal:PEER_DID_NOT_RETURN_A_CERTIFICATE:TLS_error_end',
      'IIS ¦ HTTP Error 403.7 - Forbidden: The page you are attempting to access requires your browser to have a Secure Sockets Layer (SSL) client certificate that the Web server recognizes.',
    ],
  },
  {
    kind: 'file of a certificate is no certificate',
    family: 'tls',
    texts: [
      'nginx ¦ [emerg] cannot load certificate "/etc/ssl/{host}.pem": PEM_read_bio_X509_AUX() failed (SSL: error:0480006C:PEM routines::no start line:Expecting: TRUSTED CERTIFICATE)',
      'Go ¦ tls: failed to find any PEM data in certificate input',
      'Apache ¦ [ssl:emerg] [pid {pid}] AH02561: Failed to configure certificate {host}:443:0, check /etc/ssl/{host}.pem',
    ],
  },
  {
    kind: "issuer cannot see the file that proves the domain's owner",
    family: 'tls',
    texts: [
      'Traefik ¦ Unable to obtain ACME certificate for domains error="unable to generate a certificate for the domains [{host}]: acme: error: 403 :: urn:ietf:params:acme:error:unauthorized :: {ip}: Invalid response from http://{host}/.well-known/acme-challenge/{id}: 404"',
      'certbot ¦ Certbot failed to authenticate some domains (authenticator: webroot). Domain: {host} Type: unauthorized Detail: {ip}: Invalid response from http://{host}/.well-known/acme-challenge/{id}: 404',
    ],
  },
  {
    kind: 'zone forbids this issuer',
    family: 'tls',
    texts: ['acme.sh ¦ urn:ietf:params:acme:error:caa: CAA record for {host} prevents issuance'],
  },
  {
    kind: "issuer's service for revocations does not answer",
    family: 'tls',
    texts: ['Apache ¦ [ssl:error] [pid {pid}] AH01941: stapling_renew_response: responder error'],
  },
  {
    kind: 'bytes of a TLS connection are altered on the way',
    family: 'tls',
    texts: ['Java ¦ javax.net.ssl.SSLException: Received fatal alert: bad_record_mac'],
  },
  {
    kind: 'every origin is out',
    family: 'http',
    texts: [
      'HAProxy ¦ backend web has no server available!',
      'Apache ¦ [proxy_balancer:error] [client {ip}:{port}] AH01167: balancer://web: All workers are in error state for route (app{d})',
      'Caddy ¦ no upstreams available',
      "YARP ¦ No available destinations after load balancing for cluster 'web'.",
      'Fastly ¦ 503 All backends failed or unhealthy',
    ],
  },
  {
    kind: 'one origin answers its health check with an error',
    family: 'http',
    texts: [
      'HAProxy ¦ Server web/app{d} is DOWN, reason: Layer7 wrong status, code: 503, info: "Service Unavailable", check duration: {ms}ms. 2 active and 0 backup servers left.',
      'Kubernetes ¦ Readiness probe failed: HTTP probe failed with statuscode: 503',
    ],
  },
  {
    kind: 'body of a request is too large',
    family: 'http',
    texts: [
      'Kestrel ¦ Microsoft.AspNetCore.Server.Kestrel.Core.BadHttpRequestException: Request body too large. The max request body size is {bytes} bytes.',
      'PHP ¦ PHP Warning: POST Content-Length of {bytes} bytes exceeds the limit of 8388608 bytes in Unknown on line 0',
      'Apache ¦ [client {ip}:{port}] AH01588: Requested content-length of {bytes} is larger than the configured limit of 1048576',
    ],
  },
  {
    kind: 'headers or cookies of a request are too large',
    family: 'http',
    texts: [
      'Apache ¦ [client {ip}:{port}] AH00561: Request header exceeds LimitRequestFieldSize: Cookie',
      'gunicorn ¦ [WARNING] Invalid request from ip={ip}: limit request headers fields size',
      'nginx ¦ client sent too long header line: "Cookie: session={id}" while reading client request headers, client: {ip}, server: {host}',
      'uWSGI ¦ invalid request block size: {num} (max 4096)...skip',
    ],
  },
  {
    kind: 'header of the response has characters that none may have',
    family: 'http',
    texts: [
      'Node ¦ TypeError [ERR_INVALID_CHAR]: Invalid character in header content ["X-Title"]',
      "Apache ¦ [http:error] [client {ip}:{port}] AH02430: Response header 'X-Title' value of 'caf\\xc3\\xa9' contains invalid characters, aborting request",
      'Go ¦ net/http: invalid header field value for "X-Title"',
      'nginx ¦ upstream sent invalid header: "X\\x20..." while reading response header from upstream, client: {ip}',
    ],
  },
  {
    kind: 'body is not as long as its header says',
    family: 'http',
    texts: [
      'nginx ¦ upstream sent more data than specified in "Content-Length" header while reading upstream, client: {ip}',
      'Go ¦ http: wrote more than the declared Content-Length',
      "Node ¦ Error [ERR_HTTP_CONTENT_LENGTH_MISMATCH]: Response body's content-length of {bytes} byte(s) does not match the content-length of {num} byte(s) set in header",
      'Kestrel ¦ System.InvalidOperationException: Response Content-Length mismatch: too few bytes written ({num} of {bytes}).',
    ],
  },
  {
    kind: 'redirects come back to where they began',
    family: 'http',
    texts: [
      'Python ¦ requests.exceptions.TooManyRedirects: Exceeded 30 redirects.',
      'undici ¦ TypeError: fetch failed, cause: Error: redirect count exceeded',
      'Java ¦ java.net.ProtocolException: Server redirected too many times (20)',
    ],
  },
  {
    kind: 'rewrite rules of the server run in a circle',
    family: 'http',
    texts: [
      "Apache ¦ [core:error] [client {ip}:{port}] AH00124: Request exceeded the limit of 10 internal redirects due to probable configuration error. Use 'LimitInternalRecursion' to increase the limit if necessary.",
    ],
  },
  {
    kind: 'origin takes no more streams on an HTTP/2 connection',
    family: 'http',
    texts: [
      'okhttp ¦ okhttp3.internal.http2.StreamResetException: stream was reset: REFUSED_STREAM',
      'Java ¦ java.io.IOException: too many concurrent streams',
    ],
  },
  {
    kind: 'origin breaks an HTTP/2 stream by an error of its own',
    family: 'http',
    texts: [
      'Go ¦ stream error: stream ID {num}; INTERNAL_ERROR; received from peer',
      'curl ¦ (92) HTTP/2 stream {d} was not closed cleanly: INTERNAL_ERROR (err 2)',
    ],
  },
  {
    kind: 'origin does not agree to speak HTTP/2',
    family: 'http',
    texts: [
      'Go ¦ http2: unexpected ALPN protocol "http/1.1"; want "h2"',
      'gRPC ¦ rpc error: code = Unavailable desc = connection error: desc = "transport: authentication handshake failed: credentials: cannot check peer: missing selected ALPN property"',
    ],
  },
  {
    kind: 'client floods a connection with HTTP/2 frames',
    family: 'http',
    texts: ['nginx ¦ http2 flood detected while processing HTTP/2 connection, client: {ip}, server: 0.0.0.0:443'],
  },
  {
    kind: 'name in the handshake and name in the request are of two sites',
    family: 'http',
    texts: [
      'Apache ¦ [ssl:error] [client {ip}:{port}] AH02032: Hostname {host} provided via SNI and hostname {host} provided via HTTP have no compatible SSL setup',
    ],
  },
  {
    kind: 'origin answers a WebSocket handshake with something else',
    family: 'http',
    texts: [
      'ws ¦ Error: Unexpected server response: 400',
      'Tomcat ¦ jakarta.websocket.DeploymentException: The HTTP response from the server [400] did not permit the HTTP upgrade to WebSocket',
      'Go ¦ websocket: bad handshake',
      'Python ¦ websockets.exceptions.InvalidStatus: server rejected WebSocket connection: HTTP 400',
    ],
  },
  {
    kind: 'header that asks for WebSocket is lost on the way',
    family: 'http',
    texts: [
      "Go ¦ websocket: the client is not using the websocket protocol: 'upgrade' token not found in 'Connection' header",
      'Spring ¦ Handshake failed due to invalid Upgrade header: null',
      'Rails ¦ Failed to upgrade to WebSocket (REQUEST_METHOD: GET, HTTP_CONNECTION: close, HTTP_UPGRADE: )',
    ],
  },
  {
    kind: 'somebody sends too many requests',
    family: 'http',
    texts: [
      'nginx ¦ limiting requests, excess: {d}.480 by zone "api", client: {ip}, server: {host}, request: "GET {path} HTTP/1.1"',
      'Laravel ¦ Illuminate\\Http\\Exceptions\\ThrottleRequestsException: Too Many Attempts.',
      'Django ¦ rest_framework.exceptions.Throttled: Request was throttled. Expected available in {sec} seconds.',
    ],
  },
  {
    kind: 'rule of the server forbids the address of the caller',
    family: 'http',
    texts: [
      'Apache ¦ [authz_core:error] [client {ip}:{port}] AH01630: client denied by server configuration: /var/www/html{path}',
      'IIS ¦ HTTP Error 403.6 - Forbidden: IP address rejected.',
    ],
  },
  {
    kind: 'application does not take the host name',
    family: 'http',
    texts: [
      "Django ¦ django.core.exceptions.DisallowedHost: Invalid HTTP_HOST header: '{host}'. You may need to add '{host}' to ALLOWED_HOSTS.",
      'Rails ¦ [ActionDispatch::HostAuthorization::DefaultResponseApp] Blocked hosts: {host}',
      'HTTP.sys ¦ Bad Request - Invalid Hostname. HTTP Error 400. The request hostname is invalid.',
    ],
  },
  {
    kind: 'file is not there',
    family: 'http',
    texts: [
      'nginx ¦ open() "/usr/share/nginx/html{path}" failed (2: No such file or directory), client: {ip}, server: {host}',
      'Apache ¦ [core:info] [client {ip}:{port}] AH00128: File does not exist: /var/www/html{path}',
      'Azure Storage ¦ BlobNotFound: The specified blob does not exist. RequestId:{id} Time:{time}',
    ],
  },
  {
    kind: 'response that has no body is given one',
    family: 'http',
    texts: ['Go ¦ http: request method or response status code does not allow body'],
  },
  {
    kind: 'FastCGI server does not find the script that it shall run',
    family: 'config',
    texts: ["Apache ¦ [proxy_fcgi:error] [client {ip}:{port}] AH01071: Got error 'Primary script unknown'"],
  },
  {
    kind: 'database has no connections left',
    family: 'service',
    texts: [
      'PgBouncer ¦ FATAL: no more connections allowed (max_client_conn)',
      'MySQL ¦ ERROR 1040 (HY000): Too many connections',
      'Redis ¦ ERR max number of clients reached',
    ],
  },
  {
    kind: "application's own pool for the database is used up",
    family: 'service',
    texts: [
      'Spring ¦ java.sql.SQLTransientConnectionException: HikariPool-1 - Connection is not available, request timed out after {ms}ms.',
      'Rails ¦ ActiveRecord::ConnectionTimeoutError: could not obtain a connection from the pool within 5.000 seconds (waited 5.0{d} seconds); all pooled connections were in use',
      'Node ¦ KnexTimeoutError: Knex: Timeout acquiring a connection. The pool is probably full. Are you missing a .transacting(trx) call?',
    ],
  },
  {
    kind: 'application cannot reach its database',
    family: 'service',
    texts: [
      'Python ¦ psycopg2.OperationalError: connection to server at "{ip}", port 5432 failed: Connection refused. Is the server running on that host and accepting TCP/IP connections?',
      "MySQL ¦ ERROR 2003 (HY000): Can't connect to MySQL server on '{host}:3306' (111)",
      'Node ¦ MongoServerSelectionError: connect ECONNREFUSED {ip}:27017',
      'Redis ¦ Could not connect to Redis at {host}:6379: Connection refused',
    ],
  },
  {
    kind: 'database does not take the password',
    family: 'service',
    texts: [
      'MongoDB ¦ MongoServerError: Authentication failed.',
      "MySQL ¦ ERROR 1045 (28000): Access denied for user 'app'@'{ip}' (using password: YES)",
      'Redis ¦ WRONGPASS invalid username-password pair or user is disabled.',
    ],
  },
  {
    kind: 'application writes to a copy that can only be read',
    family: 'service',
    texts: [
      'MongoDB ¦ MongoServerError: not primary (code: 10107, NotWritablePrimary)',
      'PostgreSQL ¦ ERROR: cannot execute UPDATE in a read-only transaction',
      "Redis ¦ READONLY You can't write against a read only replica.",
    ],
  },
  {
    kind: 'storage does not let the edge read',
    family: 'service',
    texts: [
      'S3 ¦ AccessDenied: Access Denied (RequestId: {id})',
      'Google Cloud Storage ¦ AccessDenied: Anonymous caller does not have storage.objects.get access to the Google Cloud Storage object.',
      'Azure Storage ¦ AuthorizationPermissionMismatch: This request is not authorized to perform this operation using this permission. RequestId:{id}',
    ],
  },
  {
    kind: 'Redis cannot save and takes nothing more',
    family: 'service',
    texts: [
      'Redis ¦ MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk. Commands that may modify the data set are disabled.',
    ],
  },
  {
    kind: 'database stops before its counter of transactions runs over',
    family: 'service',
    texts: ['PostgreSQL ¦ ERROR: database is not accepting commands to avoid wraparound data loss in database "shop"'],
  },
  {
    kind: 'database has locked a host out after many failures',
    family: 'service',
    texts: [
      "MySQL ¦ ERROR 1129 (HY000): Host '{ip}' is blocked because of many connection errors; unblock with 'mysqladmin flush-hosts'",
    ],
  },
  {
    kind: 'message is larger than Kafka takes',
    family: 'service',
    texts: [
      'Kafka ¦ org.apache.kafka.common.errors.RecordTooLargeException: The message is {bytes} bytes when serialized which is larger than 1048576, which is the value of the max.request.size configuration.',
    ],
  },
  {
    kind: 'all workers of the application are busy',
    family: 'application',
    texts: [
      'Tomcat ¦ All threads ({num}) are currently busy, waiting. Increase maxThreads ({num}) or check the servlet status',
      'Apache ¦ [mpm_prefork:error] [pid {pid}] AH00161: server reached MaxRequestWorkers setting, consider raising the MaxRequestWorkers setting',
      'uWSGI ¦ *** uWSGI listen queue of socket "{ip}:{port}" (fd: {d}) full !!! (101/100) ***',
    ],
  },
  {
    kind: 'worker is ended because its request takes too long',
    family: 'application',
    texts: [
      'gunicorn ¦ [CRITICAL] WORKER TIMEOUT (pid:{pid})',
      'uWSGI ¦ *** HARAKIRI ON WORKER {d} (pid: {pid}, try: 1) ***',
      'PHP-FPM ¦ WARNING: [pool www] child {pid}, script \'/var/www/html/index.php\' (request: "GET /index.php") execution timed out ({sec}.123456 sec), terminating',
      'Puma ¦ ! Terminating timed out worker: {pid}',
    ],
  },
  {
    kind: 'worker crashes',
    family: 'application',
    texts: [
      'Apache ¦ [core:notice] [pid {pid}] AH00052: child pid {pid} exit signal Segmentation fault (11)',
      'uWSGI ¦ DAMN ! worker {d} (pid: {pid}) died, killed by signal 11 :( trying respawn ...',
    ],
  },
  {
    kind: 'system kills a process for want of memory',
    family: 'application',
    texts: [
      'Kubernetes ¦ Last State: Terminated, Reason: OOMKilled, Exit Code: 137',
      'gunicorn ¦ [ERROR] Worker (pid:{pid}) was sent SIGKILL! Perhaps out of memory?',
    ],
  },
  {
    kind: "program reaches its runtime's own limit of memory",
    family: 'application',
    texts: [
      ".NET ¦ System.OutOfMemoryException: Exception of type 'System.OutOfMemoryException' was thrown.",
      'Ruby ¦ NoMemoryError: failed to allocate memory',
      'PHP ¦ PHP Fatal error: Allowed memory size of 134217728 bytes exhausted (tried to allocate {bytes} bytes)',
    ],
  },
  {
    kind: 'no more threads or processes may be made',
    family: 'application',
    texts: [
      'Apache ¦ [mpm_prefork:error] [pid {pid}] (11)Resource temporarily unavailable: AH00159: fork: Unable to fork new process',
      "Python ¦ RuntimeError: can't start new thread",
    ],
  },
  {
    kind: 'disk is full',
    family: 'application',
    texts: [
      'Elasticsearch ¦ cluster_block_exception: index [orders] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has read-only-allow-delete block];',
      'nginx ¦ [crit] pwrite() "/var/cache/nginx/{id}" failed (28: No space left on device) while reading upstream, client: {ip}',
    ],
  },
  {
    kind: 'no more files may be watched',
    family: 'application',
    texts: ["Node ¦ Error: ENOSPC: System limit for number of file watchers reached, watch '/srv/app{path}'"],
  },
  {
    kind: 'program gets a page where it expects JSON',
    family: 'application',
    texts: [
      "Ruby ¦ JSON::ParserError: unexpected token at '<!DOCTYPE html>'",
      ".NET ¦ System.Text.Json.JsonException: '<' is an invalid start of a value. Path: $ | LineNumber: 0 | BytePositionInLine: 0.",
    ],
  },
  {
    kind: 'program takes nothing for something',
    family: 'application',
    texts: [
      "Ruby ¦ NoMethodError: undefined method 'price' for nil",
      '.NET ¦ System.NullReferenceException: Object reference not set to an instance of an object.',
      "Python ¦ AttributeError: 'NoneType' object has no attribute 'price'",
    ],
  },
  {
    kind: "answer's headers are set after it has begun",
    family: 'application',
    texts: [
      'Node ¦ Error [ERR_HTTP_HEADERS_SENT]: Cannot set headers after they are sent to the client',
      'PHP ¦ PHP Warning: Cannot modify header information - headers already sent by (output started at /var/www/html/index.php:{num})',
      'Kestrel ¦ System.InvalidOperationException: Headers are read-only, response has already started.',
    ],
  },
  {
    kind: 'port of the server is taken',
    family: 'config',
    texts: [
      'Apache ¦ (98)Address already in use: AH00072: make_sock: could not bind to address [::]:{port}',
      'Node ¦ Error: listen EADDRINUSE: address already in use :::{port}',
      'Spring ¦ Web server failed to start. Port {port} was already in use.',
      "gunicorn ¦ [ERROR] Connection in use: ('0.0.0.0', {port})",
    ],
  },
  {
    kind: 'configuration cannot be read',
    family: 'config',
    texts: [
      'nginx ¦ [emerg] {pid}#{pid}: unknown directive "proxy_pas" in /etc/nginx/conf.d/shop.conf:{num}',
      'Apache ¦ AH00526: Syntax error on line {num} of /etc/apache2/sites-enabled/shop.conf:',
    ],
  },
  {
    kind: 'folder has no start page',
    family: 'config',
    texts: [
      'nginx ¦ directory index of "/var/www/html/" is forbidden, client: {ip}, server: {host}',
      'Apache ¦ [autoindex:error] [client {ip}:{port}] AH01276: Cannot serve directory /var/www/html/: No matching DirectoryIndex (index.html) found, and server-generated directory index forbidden by Options directive',
    ],
  },
  {
    kind: 'message is larger than gRPC takes',
    family: 'http',
    texts: [
      'Go ¦ rpc error: code = ResourceExhausted desc = grpc: received message larger than max ({bytes} vs. 4194304)',
      'Java ¦ io.grpc.StatusRuntimeException: RESOURCE_EXHAUSTED: gRPC message exceeds maximum size 4194304: {bytes}',
    ],
  },
  {
    kind: 'gateway has no route for the request',
    family: 'http',
    texts: ['Kong ¦ no Route matched with those values'],
  },
  {
    kind: "customer's function at the edge changes a header that it may not change",
    family: 'http',
    texts: [
      'CloudFront ¦ 502 ERROR The Lambda function result failed validation: The function tried to add, delete, or change a read-only header. (Request ID: {id})',
    ],
  },
  {
    kind: 'file system can only be read',
    family: 'application',
    texts: ["Node ¦ Error: EROFS: read-only file system, open '/srv/app{path}'"],
  },
];
