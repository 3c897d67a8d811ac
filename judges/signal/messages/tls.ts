import type { Kind } from '../messages.ts';

/** Certificates and handshakes, and HTTP that is none. */
export const TLS: readonly Kind[] = [
  {
    kind: "origin's certificate has expired",
    family: 'certificates',
    texts: [
      'nginx ¦ upstream SSL certificate verify error: (10:certificate has expired) while SSL handshaking to upstream, client: {ip}',
      'Node ¦ Error: certificate has expired (code: CERT_HAS_EXPIRED)',
      'Go ¦ tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time {time} is after {time}',
      'Java ¦ sun.security.validator.ValidatorException: PKIX path validation failed: java.security.cert.CertPathValidatorException: validity check failed: NotAfter: {time}',
      'platform ¦ http_request_exception: The remote certificate is invalid because of errors in the certificate chain: NotTimeValid',
    ],
  },
  {
    kind: "origin's certificate is for another name",
    family: 'certificates',
    texts: [
      'nginx ¦ upstream SSL certificate does not match "{host}" while SSL handshaking to upstream, client: {ip}',
      "Node ¦ Error [ERR_TLS_CERT_ALTNAME_INVALID]: Hostname/IP does not match certificate's altnames: Host: {host}. is not in the cert's altnames",
      'Go ¦ tls: failed to verify certificate: x509: certificate is valid for *.{host}, not {host}',
      'Java ¦ javax.net.ssl.SSLHandshakeException: No subject alternative DNS name matching {host} found.',
      "Fastly ¦ 503 Hostname doesn't match against certificate",
      'platform ¦ http_request_exception: The remote certificate is invalid according to the validation procedure: RemoteCertificateNameMismatch',
    ],
  },
  {
    kind: "origin's certificate has no known issuer",
    family: 'certificates',
    texts: [
      'nginx ¦ upstream SSL certificate verify error: (20:unable to get local issuer certificate) while SSL handshaking to upstream',
      'Node ¦ Error: unable to verify the first certificate (code: UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
      'Go ¦ tls: failed to verify certificate: x509: certificate signed by unknown authority',
      'Java ¦ sun.security.validator.ValidatorException: PKIX path building failed: unable to find valid certification path to requested target',
      'Envoy ¦ TLS_error:|268435581:SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED:verify cert failed: unable to get issuer:TLS_error_end',
    ],
  },
  {
    kind: "origin's certificate is self-signed",
    family: 'certificates',
    texts: [
      'nginx ¦ upstream SSL certificate verify error: (18:self-signed certificate) while SSL handshaking to upstream',
      'Node ¦ Error: self-signed certificate (code: DEPTH_ZERO_SELF_SIGNED_CERT)',
      'Fastly ¦ 503 self-signed certificate in certificate chain',
    ],
  },
  {
    kind: "origin's certificate is invalid, nobody says why",
    family: 'certificates',
    texts: [
      'Cloudflare ¦ Error 526: Invalid SSL certificate (ray {id})',
      'platform ¦ http_request_exception: The remote certificate was rejected by the provided RemoteCertificateValidationCallback.',
    ],
  },
  {
    kind: "origin's certificate was revoked",
    family: 'certificates',
    texts: [
      'Java ¦ java.security.cert.CertificateRevokedException: Certificate has been revoked, reason: KEY_COMPROMISE, revocation date: {time}',
      'nginx ¦ upstream SSL certificate verify error: (23:certificate revoked) while SSL handshaking to upstream',
    ],
  },
  {
    kind: "origin's certificate is not valid yet",
    family: 'certificates',
    texts: [
      'nginx ¦ upstream SSL certificate verify error: (9:certificate is not yet valid) while SSL handshaking to upstream',
      'Java ¦ java.security.cert.CertificateNotYetValidException: NotBefore: {time}',
    ],
  },
  {
    kind: 'no common TLS version',
    family: 'handshake',
    texts: [
      'nginx ¦ SSL_do_handshake() failed (SSL: error:0A00042E:SSL routines::tlsv1 alert protocol version:SSL alert number 70) while SSL handshaking to upstream',
      'Go ¦ remote error: tls: protocol version not supported',
      'Java ¦ javax.net.ssl.SSLHandshakeException: Received fatal alert: protocol_version',
    ],
  },
  {
    kind: 'no common cipher, handshake refused',
    family: 'handshake',
    texts: [
      'nginx ¦ SSL_do_handshake() failed (SSL: error:0A000410:SSL routines::sslv3 alert handshake failure:SSL alert number 40) while SSL handshaking to upstream',
      'Go ¦ remote error: tls: handshake failure',
      'Java ¦ javax.net.ssl.SSLHandshakeException: Received fatal alert: handshake_failure',
      'Cloudflare ¦ Error 525: SSL handshake failed (ray {id})',
    ],
  },
  {
    kind: 'origin speaks plain HTTP where TLS is expected',
    family: 'handshake',
    texts: [
      'nginx ¦ SSL_do_handshake() failed (SSL: error:0A00010B:SSL routines::wrong version number) while SSL handshaking to upstream',
      'Go ¦ tls: first record does not look like a TLS handshake',
      'Java ¦ javax.net.ssl.SSLException: Unsupported or unrecognized SSL message',
      'Go ¦ Get "https://{host}{path}": http: server gave HTTP response to HTTPS client',
    ],
  },
  {
    kind: 'origin does not know the name in the handshake',
    family: 'handshake',
    texts: [
      'nginx ¦ SSL_do_handshake() failed (SSL: error:0A000458:SSL routines::tlsv1 unrecognized name:SSL alert number 112) while SSL handshaking to upstream',
      'Go ¦ remote error: tls: unrecognized name',
    ],
  },
  {
    kind: 'origin asks the edge for a certificate',
    family: 'handshake',
    texts: [
      'nginx ¦ SSL_read() failed (SSL: error:0A00045C:SSL routines::tlsv13 alert certificate required:SSL alert number 116) while reading response header from upstream',
      'Go ¦ remote error: tls: certificate required',
      'nginx ¦ client sent no required SSL certificate while reading client request headers, client: {ip}, server: {host}',
    ],
  },
  {
    kind: 'handshake is cut off',
    family: 'handshake',
    texts: [
      'nginx ¦ peer closed connection in SSL handshake while SSL handshaking to upstream, client: {ip}',
      'Java ¦ javax.net.ssl.SSLHandshakeException: Remote host terminated the handshake',
      'platform ¦ http_request_exception: The SSL connection could not be established: Received an unexpected EOF or 0 bytes from the transport stream.',
    ],
  },
  {
    kind: 'handshake takes too long',
    family: 'handshake',
    texts: [
      'Go ¦ net/http: TLS handshake timeout',
      'nginx ¦ upstream timed out (110: Connection timed out) while SSL handshaking to upstream, client: {ip}',
    ],
  },
  {
    kind: "edge's own certificate does not fit its key",
    family: 'certificates',
    texts: [
      'nginx ¦ [emerg] SSL_CTX_use_PrivateKey("/etc/ssl/{host}.key") failed (SSL: error:05800074:x509 certificate routines::key values mismatch)',
      "HAProxy ¦ [ALERT] parsing [/etc/haproxy/haproxy.cfg:{num}] : 'bind *:443' in section 'frontend' : inconsistencies between private key and certificate loaded '/etc/ssl/{host}.pem'.",
    ],
  },
  {
    kind: "origin's headers are too large",
    family: 'HTTP',
    texts: [
      'nginx ¦ upstream sent too big header while reading response header from upstream, client: {ip}, request: "GET {path} HTTP/1.1"',
      'Node ¦ Error: Parse Error: Header overflow (code: HPE_HEADER_OVERFLOW, bytesParsed: {bytes})',
      'Go ¦ net/http: HTTP/1.x transport connection broken: net/http: server response headers exceeded {bytes} bytes; aborted',
      'Fastly ¦ 503 Header overflow (cache-{id})',
    ],
  },
  {
    kind: 'origin answers with something that is not HTTP',
    family: 'HTTP',
    texts: [
      'nginx ¦ upstream sent no valid HTTP/1.0 header while reading response header from upstream, client: {ip}',
      'Node ¦ Error: Parse Error: Expected HTTP/ (code: HPE_INVALID_CONSTANT, bytesParsed: 0)',
      'Go ¦ net/http: HTTP/1.x transport connection broken: malformed HTTP response "\\x15\\x03\\x01\\x00\\x02\\x02"',
      'Envoy ¦ upstream connect error or disconnect/reset before headers. reset reason: protocol error',
      "platform ¦ http_request_failure: Received an invalid status line: '{id}'.",
      'Azure Front Door ¦ ErrorInfo: OriginInvalidResponse',
    ],
  },
  {
    kind: 'chunks of the response are broken',
    family: 'HTTP',
    texts: [
      'nginx ¦ upstream sent invalid chunked response while reading upstream, client: {ip}, request: "GET {path} HTTP/1.1"',
      'Node ¦ Error: Parse Error: Invalid character in chunk size (code: HPE_INVALID_CHUNK_SIZE)',
      'Go ¦ http: proxy error: malformed chunked encoding',
      'Varnish ¦ FetchError chunked read err',
    ],
  },
  {
    kind: 'response says its length twice',
    family: 'HTTP',
    texts: [
      'nginx ¦ upstream sent duplicate header line: "Content-Length: {bytes}", previous value: "Content-Length: {bytes}" while reading response header from upstream',
      "Node ¦ Error: Parse Error: Content-Length can't be present with Transfer-Encoding (code: HPE_INVALID_TRANSFER_ENCODING)",
    ],
  },
  {
    kind: 'HTTP/2 protocol broken by the origin',
    family: 'HTTP',
    texts: [
      'Go ¦ http2: server sent GOAWAY and closed the connection; LastStreamID={num}, ErrCode=PROTOCOL_ERROR, debug=""',
      'Node ¦ Error [ERR_HTTP2_STREAM_ERROR]: Stream closed with error code NGHTTP2_PROTOCOL_ERROR',
      'nginx ¦ upstream sent frame for unknown stream while reading response header from upstream, client: {ip}',
    ],
  },
  {
    kind: 'origin asks to be asked less (HTTP/2)',
    family: 'HTTP',
    texts: [
      'Go ¦ http2: server sent GOAWAY and closed the connection; LastStreamID={num}, ErrCode=ENHANCE_YOUR_CALM, debug="too_many_pings"',
      'Node ¦ Error [ERR_HTTP2_SESSION_ERROR]: Session closed with error code NGHTTP2_ENHANCE_YOUR_CALM',
    ],
  },
  {
    kind: 'compression is broken',
    family: 'HTTP',
    texts: [
      'Varnish ¦ FetchError Gunzip error: {d} (incorrect header check)',
      'Node ¦ Error: incorrect header check (code: Z_DATA_ERROR, errno: -3)',
      'Go ¦ gzip: invalid header',
      'platform ¦ http_invalid_compression: The archive entry was compressed using an unsupported compression method.',
    ],
  },
  {
    kind: 'range outside the file',
    family: 'HTTP',
    texts: [
      'platform ¦ http_invalid_range: The origin returned 416 for bytes={bytes}-',
      'S3 ¦ InvalidRange: The requested range is not satisfiable (RangeRequested: bytes={bytes}-, ActualObjectSize: {num})',
    ],
  },
  {
    kind: 'request loops through the edge',
    family: 'HTTP',
    texts: [
      'platform ¦ http_loop_detected: The request has passed this pull zone before (CDN-Loop: {id})',
      'Fastly ¦ 503 Loop detected (cache-{id})',
    ],
  },
  {
    kind: 'redirects go round',
    family: 'HTTP',
    texts: [
      'nginx ¦ rewrite or internal redirection cycle while internally redirecting to "{path}", client: {ip}',
      'Go ¦ Get "{path}": stopped after 10 redirects',
      'Node ¦ Error [ERR_FR_TOO_MANY_REDIRECTS]: Maximum number of redirects exceeded',
    ],
  },
  {
    kind: 'HTTP/3 connection goes silent',
    family: 'network',
    texts: [
      'Go ¦ timeout: no recent network activity (quic-go)',
      'edge ¦ QUIC_NETWORK_IDLE_TIMEOUT: No recent network activity after {ms}000us. Timeout:{sec}s num_undecryptable_packets: 0',
    ],
  },
  {
    kind: 'PROXY protocol expected and not there',
    family: 'HTTP',
    texts: [
      'nginx ¦ broken header: "GET {path} HTTP/1.1" while reading PROXY protocol, client: {ip}, server: 0.0.0.0:{port}',
      'HAProxy ¦ {ip}:{port} [{time}] public/1: Received something which does not look like a PROXY protocol header',
    ],
  },
];
