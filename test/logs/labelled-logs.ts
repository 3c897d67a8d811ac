/**
 * Labelled messages in the style of well-known logs, written for these tests: each line of a set is one kind of message, what
 * stands in braces varies. Nothing here is copied from a public data set.
 */
const SETS: Record<string, string> = {
  'edge to origin': `
    Connection refused by the origin ({ip}:{port}).
    The origin did not answer within {seconds} seconds.
    Origin DNS lookup failed: the name {host} does not resolve.
    The SSL connection could not be established.
    The SSL connection could not be established, see inner exception: certificate of {host} expired on {date}
    The origin answered with 503 Service Unavailable.
    The origin answered with 500 Internal Server Error.
    Response of {path} exceeds the limit of {size}
    No healthy origin left in pool "{word}" ({n} of {n} down)
    Read of {path} from {ip} stopped after {n} of {n} bytes: connection reset by peer
    upstream prematurely closed connection while reading response header, request {uuid}
    Too many redirects ({n}) from {url}`,
  application: `
    user {name} logged in from {ip}
    user {name} does not exist
    Payment {hex} failed: card declined (code {n})
    Payment {hex} captured: {n} EUR
    cache miss for key={word}:{n}, ttl={n}
    GET {path} {status} in {ms}
    POST {path} {status} in {ms}
    java.net.SocketTimeoutException: Read timed out after {ms}
    java.net.ConnectException: Connection refused: {host}/{ip}:{port}
    worker {n} picked up job {uuid} from queue '{word}'
    job {uuid} finished in {ms}, retries={n}, ok={bool}
    Slow query ({ms}): {n} rows read
    config reloaded from {path}`,
  'distributed file system': `
    Receiving block blk_{n} src: /{ip}:{port} dest: /{ip}:{port}
    Received block blk_{n} of size {n} from /{ip}
    PacketResponder {n} for block blk_{n} terminating
    BLOCK* NameSystem.addStoredBlock: blockMap updated: {ip}:{port} is added to blk_{n} size {n}
    Verification succeeded for blk_-{n}
    Deleting block blk_{n} file {path}
    writeBlock blk_{n} received exception java.io.IOException: Connection reset by peer
    BLOCK* ask {ip}:{port} to delete blk_{n} blk_{n} blk_{n}`,
  'web server': `
    [client {ip}] File does not exist: {path}
    [client {ip}] Directory index forbidden by rule: {path}
    mod_jk child workerEnv in error state {n}
    jk2_init() Found child {n} in scoreboard slot {n}
    workerEnv.init() ok {path}
    AH00558: could not determine the server's name, using {ip}
    {ip} - - "GET {path} HTTP/1.1" {status} {n}
    {ip} - - "POST {path} HTTP/1.1" {status} {n}
    SSL handshake with {ip}:{port} failed: no shared cipher`,
  'secure shell': `
    Failed password for {account} from {ip} port {port} ssh2
    Failed password for invalid user {name} from {ip} port {port} ssh2
    Accepted publickey for {account} from {ip} port {port} ssh2: RSA {hash}
    Invalid user {name} from {ip}
    input_userauth_request: invalid user {name} [preauth]
    reverse mapping checking getaddrinfo for {host} [{ip}] failed - POSSIBLE BREAK-IN ATTEMPT!
    Connection closed by {ip} [preauth]
    pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost={host} user={name}
    pam_unix(sshd:auth): check pass; user unknown
    Received disconnect from {ip}: {n}: Bye Bye [preauth]`,
  'operating system': `
    session opened for user {name} by (uid={n})
    session closed for user {name}
    connection from {ip} ({host}) at {date}
    Out of memory: Killed process {n} ({word}), total-vm:{n}kB
    usb {n}-{n}: new high-speed USB device number {n} using xhci_hcd
    EXT4-fs (sda{n}): mounted filesystem with ordered data mode. Opts: {opts}
    CPU{n}: Core temperature above threshold, cpu clock throttled (total events = {n})
    ({account}) CMD ({path})
    synchronized to {ip}, stratum {n}
    eth{n}: link up, {n}Mbps, full-duplex, lpa {hex0}`,
  'cluster coordination': `
    Received connection request /{ip}:{port}
    Notification: {n} (n.leader), {hex0} (n.zxid), {n} (n.round), LOOKING (n.state), {n} (n.sid)
    Connection broken for id {n}, my id = {n}, error =
    Closed socket connection for client /{ip}:{port} which had sessionid {hex0}
    Established session {hex0} with negotiated timeout {n} for client /{ip}:{port}
    Expiring session {hex0}, timeout of {ms} exceeded
    Interrupted while waiting for message on queue
    Snapshotting: {hex0} to {path}`,
  'map and reduce': `
    Task 'attempt_{n}_{n}_m_{n}_{n}' done.
    Running task {n} in stage {n} (TID {n})
    Finished task {n} in stage {n} (TID {n}). {n} bytes result sent to driver
    Block broadcast_{n} stored as values in memory (estimated size {size}, free {size})
    Block broadcast_{n}_piece{n} stored as bytes in memory (estimated size {size}, free {size})
    Input split: hdfs://{ip}:{port}{path}:{n}+{n}
    Address change detected. Old: {host}/{ip}:{port} New: {host}:{port}
    Error in contacting resource manager
    Progress of TaskAttempt attempt_{n}_m_{n} is : {n}
    Recalculating schedule, headroom=<memory:{n}, vCores:-{n}>`,
  'super computer': `
    instruction cache parity error corrected
    {n} double-hummer alignment exceptions
    generating core.{n}
    ciod: failed to read message prefix on control stream (CioStream socket to {ip}:{port}
    ciod: Error loading {path}: invalid or missing program image, Permission denied
    ciod: Error loading {path}: invalid or missing program image, No such file or directory
    CE sym {n}, at {hex0}, mask {hex0}
    total of {n} ddr error(s) detected and corrected
    machine check interrupt (bit={hex0}): L2 dcache unit data parity error
    node card VPD check: missing {n} node, VPD ecid {hash}`,
  proxy: `
    {host}:{port} open through proxy {host}:{port} HTTPS
    {host}:{port} close, {n} bytes sent, {sizes} received, lifetime {span}
    {host}:{port} error : Could not connect through proxy {host}:{port} - Proxy server cannot establish a connection with the target, status code {n}
    open directly {host}:{port}`,
  telephone: `
    setVisibility vis={hex8} mask={hex8} oldVal={n} newVal={n}
    updateClipping isOverlap:{bool}, top={n}
    acquire lock={n}, flags={hex0}, tag="{word} {word}", name={word}, uid={n}, pid={n}
    release lock={n}, flags={hex0}, tag="{word} {word}", name={word}, uid={n}, pid={n}
    getTodayTotalDetailSteps = {n}##{n}##{n}##{n}
    onReceive action: android.intent.action.{intent}
    writeBlock set to {n}
    readBlock set to {n}
    Camera::wakeEventHandler
    Camera::sleepEventHandler
    onStandStepChanged {n}
    Screen on took {ms}`,
};

/** One message with the number of the line that it was made of. */
export interface Labelled {
  message: string;
  label: number;
}

/** The sets by name; the same for the same seed. Some kinds are a hundred times as frequent as others. */
export function labelledLogs(lines: number, seed = 1): [name: string, messages: Labelled[]][] {
  return generated(SETS, VALUES, lines, seed);
}

/** Messages of the kinds of each set, with these values in their braces. */
export function generated(
  sets: Record<string, string>,
  values: Record<string, (random: Random) => string>,
  lines: number,
  seed: number,
): [name: string, messages: Labelled[]][] {
  return Object.entries(sets).map(([name, text]) => {
    const kinds = text.trim().split(/\n\s*/);
    const random = numbers(seed + name.length * 7919);
    return [
      name,
      Array.from({ length: lines }, () => {
        const label = Math.floor(kinds.length * random() ** 1.7);
        const message = kinds[label]!.replace(/\{(\w+)\}/g, (_, slot: string) => values[slot]!(random));
        return { message, label };
      }),
    ];
  });
}

/**
 * Grouping accuracy as the literature on log parsing has it: the share of messages whose group is exactly the set of messages
 * of their kind.
 */
export function groupingAccuracy(labels: readonly number[], groups: readonly string[]): number {
  const kinds = new Map<number, number>();
  const found = new Map<string, { size: number; labels: Set<number> }>();
  for (const [index, label] of labels.entries()) {
    kinds.set(label, (kinds.get(label) ?? 0) + 1);
    const group = found.get(groups[index]!) ?? { size: 0, labels: new Set<number>() };
    group.size += 1;
    group.labels.add(label);
    found.set(groups[index]!, group);
  }
  const right = [...found.values()].filter((group) => {
    const [label] = group.labels;
    return group.labels.size === 1 && kinds.get(label!) === group.size;
  });
  return right.reduce((sum, { size }) => sum + size, 0) / labels.length;
}

/** Numbers from 0 to 1. */
export type Random = () => number;

/** mulberry32: small, and the same everywhere. */
function numbers(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const whole = (random: Random, most: number) => Math.floor(random() * most);
export const oneOf = <T>(random: Random, things: readonly T[]): T => things[whole(random, things.length)]!;
export const hex = (random: Random, length: number) =>
  Array.from({ length }, () => whole(random, 16).toString(16)).join('');
const WORDS = ['alpha', 'checkout', 'images', 'session', 'telemetry', 'billing', 'launcher', 'orders'];
const NAMES = ['ada', 'webmaster', 'chen', 'pgadmin', 'root', 'guest', 'test9', 'cyrus', 'news', 'k.meyer', 'uucp'];
export const number = (random: Random) => String(whole(random, 10 ** (1 + whole(random, 6))));

export const VALUES: Record<string, (random: Random) => string> = {
  n: number,
  ip: (random) => Array.from({ length: 4 }, () => whole(random, 256)).join('.'),
  port: (random) => String(1024 + whole(random, 60_000)),
  seconds: (random) => String(30 + whole(random, 60)),
  ms: (random) => `${whole(random, 9000)}${oneOf(random, ['ms', ' ms'])}`,
  size: (random) => `${(random() * 900).toFixed(1)} ${oneOf(random, ['B', 'KB', 'MB'])}`,
  sizes: (random) => oneOf(random, [`${number(random)} bytes`, `${number(random)} bytes (${number(random)} KB)`]),
  span: (random) => oneOf(random, ['<1 sec', `0${whole(random, 9)}:${10 + whole(random, 49)}`]),
  host: (random) =>
    oneOf(random, [
      `${oneOf(random, WORDS)}.example.com`,
      `${whole(random, 255)}-${whole(random, 255)}.${oneOf(random, WORDS)}.example.net`,
    ]),
  url: (random) => `https://${oneOf(random, WORDS)}.example.com/${oneOf(random, WORDS)}?page=${number(random)}`,
  path: (random) =>
    `/${oneOf(random, WORDS)}/${oneOf(random, [oneOf(random, WORDS), number(random), hex(random, 12)])}${oneOf(random, ['', '.html', '.tmp'])}`,
  word: (random) => oneOf(random, WORDS),
  name: (random) => oneOf(random, NAMES),
  account: (random) => oneOf(random, ['root', 'admin', 'ftp', 'git', 'www-data', 'deploy1']),
  status: (random) => String(oneOf(random, [200, 204, 301, 404, 500])),
  bool: (random) => oneOf(random, ['true', 'false']),
  intent: (random) => oneOf(random, ['SCREEN_ON', 'SCREEN_OFF', 'TIME_TICK']),
  opts: (random) => oneOf(random, ['(null)', '(none)']),
  hex: (random) => hex(random, 8),
  hex8: (random) => hex(random, 8),
  hex0: (random) => `0x${hex(random, 8)}`,
  hash: (random) => hex(random, 32),
  uuid: (random) => [8, 4, 4, 4, 12].map((length) => hex(random, length)).join('-'),
  date: (random) =>
    `${oneOf(random, ['Mon', 'Fri', 'Sun'])} ${oneOf(random, ['Jun', 'Jul', 'Dec'])} ${1 + whole(random, 28)} ${10 + whole(random, 13)}:${10 + whole(random, 49)}:00 2026`,
};
