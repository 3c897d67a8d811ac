/** One word for what programs word in many ways, so that a wording which nobody has seen is recognised too. */

/** Words that say nothing about the cause. */
const EMPTY = new Set(
  'a an the is are was were be been being has have had that this its it to of will would could can does did do your our you we and or couldn doesn didn isn wasn weren hasn haven wouldn don aren'.split(
    ' ',
  ),
);

/**
 * What stands for what: `word: other words`. Several words stand for one, and one for several. What ends differently, such as
 * refuse, refuses and refused, is the same without being named here.
 */
const MEANINGS = `
timeout: timedout timeouts
curl: curl
cancel: cancelled cancelling cancellation
uri: url urls uris
down: offline
connect: connection conn dial dialing
refuse: refusal
expire: expiry expiration exp
resolve: resolution resolver resolving
verify: verification
validate: validation
certificate: cert certs x509
authenticate: authentication auth
authorize: authorization authorisation
response: respond responds responded replies reply replied answer answers answered
origin: upstream backend
client: downstream viewer visitor
exceed: exceeding
not: t failed failure fail fails unable cannot failing unsuccessful
close: closure
terminate: termination
large: big
long: longer
early: premature prematurely
end of file: eof
unreachable: unreach
mismatch: mismatched
denied: deny denies
broken: broke
miss: missing absent
memory: mem
invalid: illegal malformed
unhealthy: sick
header: headers hdrs hdr
redirect: redirection
throttle: throttling
allocate: allocation
throw: threw thrown throws
exhaust: exhaustion
execute: execution
invoke: invocation
permit: permission permitted
unrecognized: unrecognised
recognize: recognise recognised
connect refuse: econnrefused
connect reset: econnreset
connect abort: econnaborted
timeout etimedout: etimedout
host unreachable: ehostunreach
network unreachable: enetunreach
host not found: enotfound
broken pipe: epipe
no space left: enospc
too many open files: emfile enfile
permission denied: eacces
no such file: enoent
address in use: eaddrinuse
ddos: ddos
not allocate memory: enomem
read only file system: erofs
dns server not: servfail eservfail
dns host not found: nxdomain
out memory: oom
web socket: websocket websockets
http 2: http2 h2
http 3: http3
tls: ssl
urllib3: httpconnectionpool httpsconnectionpool
dns: nameserver nameservers getaddrinfo
database mysql: mysql 3306
database postgres: postgres postgresql psycopg2 5432
database pg: pg
database mongo: mongo mongodb mongoserver 27017
database oracle: ora
database sqlstate: sqlstate
database cassandra: cassandra datastax
database mariadb: mariadb
redis 6379: 6379
null: nil
rate limit: ratelimit ratelimited
health check: healthcheck
self signed: selfsigned
too many: toomany
open ssl: openssl
javascript: javascript
round trip: roundtrip
`;

/** Two words that together are another one. */
const PAIRS = `
timed out: timeout
time out: timeout
deadline exceed: timeout
hang up: hangup
execute expire: timeout
name server: dns
`;

/** Words that say that something is wrong, whatever it is said of. */
export const TROUBLE = `
not error exception invalid denied refuse timeout expire exceed exhaust broken miss abort reset reject unreachable unhealthy
crash fatal panic block forbid forbidden close terminate overload too unknown unexpected mismatch lost down dead corrupt fault
violate violation throttle unavailable unsupported unauthorized unauthenticated bad wrong insufficient full no cancel kill
conflict early unrecognized hangup sick leak stale stuck drop disconnect without never outage malicious attack ban suspend died
interrupt stop unhandled disallow misbehave cycle busy reach overflow inconsistent inconsistency duplicate loop exit flood
deadlock end require maintenance disable plain undefined uninitialized unstable excess excessive truncate degrade insecure weak
incomplete incorrect untrusted unsolicited weird junk garbage bogus uncaught throw problem alert emerg misconfigure misspell
stall slow endless circular infinite skew hang hung withdraw restrict prohibit lack oversize saturated outlier eject lose loss
orphan harakiri guru smash segfault dump abandon incompatible catastrophic sqlstate lag drift gave starve gone out below fewer
less larger longer shorter must expect already raise
`;
/** Words that say so of some things: a limit of memory is one, a limit of requests is mostly one that was reached. */
export const TROUBLE_OF_THINGS = `
limit more wait again large long max maximum zero capacity soon shed pending retry starvation pressure took signal buffer still
only left quota used division divide circuit legacy seal hold self sent
`;

const CAMEL = /([a-z\d])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g;
const DIGIT = /\d/;
/** `S3OriginDnsError` is a class, `dQw4` an id. */
const HUMPS = /[a-z][A-Z][a-z]/;
const SHORTEST_CLASS = 12;

/** Without the ending that tells how a word is used: refuse, refuses, refused and refusing are one. */
function stem(word: string): string {
  if (word.length < 5) return word.length === 4 && /[^su]s$/.test(word) ? word.slice(0, -1) : word;
  const single = word.endsWith('ies') ? `${word.slice(0, -3)}y` : /[^su]s$/.test(word) ? word.slice(0, -1) : word;
  const base = single.replace(/(?:ing|ed|e)$/, '');
  // After the ending a double letter is left over: limit, limitted.
  return base.length < 3 ? single : base.replace(/([bdgmnprt])\1$/, '$1');
}

const numbers = new Map<string, number>();
/** The number of a word that the table uses; words that are in no wording have none. */
function numberOf(word: string, isNew: boolean): number {
  const known = numbers.get(word);
  if (known !== undefined || !isNew) return known ?? 0;
  numbers.set(word, numbers.size + 1);
  return numbers.size;
}

const meanings = new Map<string, readonly string[]>();
for (const line of MEANINGS.trim().split('\n')) {
  const [meaning = '', words = ''] = line.split(': ');
  for (const word of words.split(' ')) {
    meanings.set(word, meaning.split(' ').map(stem));
    meanings.set(stem(word), meaning.split(' ').map(stem));
  }
}

/** What one word of a text means. */
function meaningsOf(word: string): readonly string[] {
  const small = word.toLowerCase();
  const known = meanings.get(small);
  if (known !== undefined) return known;
  if (DIGIT.test(word) && !HUMPS.test(word)) return [small];
  const parts = word.replace(CAMEL, '$1$2 ').split(' ');
  if (parts.length > 1) return parts.flatMap(meaningsOf);
  if (EMPTY.has(small)) return [];
  const stemmed = stem(small);
  return meanings.get(stemmed) ?? [stemmed];
}

/** What two words mean, by both. */
const pairs = new Map<number, number>();
for (const line of PAIRS.trim().split('\n')) {
  const [first = 0, second = 0, meaning = 0] = line.split(/:? /).map((word) => numberOf(stem(word), true));
  pairs.set(first * 1024 + second, meaning);
}
/** Words that are known later are in no pair. */
const LAST_OF_PAIRS = numbers.size;

/** A word as it was written, and the numbers of what it means. */
interface Remembered {
  /** A second hash: that two words share both is as good as never. */
  check: number;
  means: readonly number[];
}

/** So many words are remembered, those that come first: most texts have only few others. */
const MOST_REMEMBERED = 20_000;
const remembered = new Map<number, Remembered>();
const UNKNOWN: readonly number[] = [0];
/** Longer ones are ids. */
const LONGEST_WORD = 40;

const hashed = (hash: number, code: number) => (Math.imul(hash, 31) + code) & 0x3fffffff;
const checked = (check: number, code: number) => ((check << 7) ^ (check >>> 22) ^ code) & 0x3fffffff;

/** What has figures in it, such as `x509`, is known beforehand or not at all: ids are many. */
const withFigures = new Map<number, Remembered>();
function rememberFigures(word: string): void {
  const codes = [...word.toLowerCase()].map((character) => character.charCodeAt(0));
  const means = meaningsOf(word).map((meaning) => numberOf(meaning, true));
  withFigures.set(codes.reduce(hashed, 0), { check: codes.reduce(checked, 0), means });
}
for (const word of meanings.keys()) if (DIGIT.test(word)) rememberFigures(word);

function readFigures(text: string, start: number, end: number): readonly number[] {
  let hash = 0;
  let check = 0;
  for (let at = start; at < end; at += 1) {
    // Letters are read as small ones; points stay what they are.
    const code = text.charCodeAt(at) | 32;
    hash = hashed(hash, code);
    check = checked(check, code);
  }
  const known = withFigures.get(hash);
  if (known?.check === check) return known.means;
  if (end - start < SHORTEST_CLASS || end - start > LONGEST_WORD) return UNKNOWN;
  const word = text.slice(start, end);
  return HUMPS.test(word) ? meaningsOf(word).map((meaning) => numberOf(meaning, false)) : UNKNOWN;
}

/** What a word means that is not remembered yet. */
function readWord(word: string, hash: number, check: number): readonly number[] {
  if (word.length > LONGEST_WORD) return UNKNOWN;
  const means = meaningsOf(word).map((meaning) => numberOf(meaning, false));
  if (remembered.size < MOST_REMEMBERED) remembered.set(hash, { check, means });
  return means;
}

const LETTER = 1;
const FIGURE = 2;
/** What ends a path: a blank, a quote, a bracket. */
const END = 3;
/** By code; whatever is beyond ASCII separates. */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z]/.test(character)) return LETTER;
  return DIGIT.test(character) ? FIGURE : code <= 32 || '"\'<>)'.includes(character) ? END : 0;
});
/** Behind these a slash begins no path: `//`, `_/`. */
const PATH_GOES_ON = new Set([47, 95]);
const isPartOfWord = (kind: number) => kind === LETTER || kind === FIGURE;
const kindAt = (text: string, at: number) => (at < text.length ? (KINDS[text.charCodeAt(at)] ?? 0) : END);

/** The words of the text that was read last. */
export const words = new Uint16Array(8192);
let count = 0;

function add(number: number): void {
  const last = count === 0 ? 0 : words[count - 1]!;
  if (number !== 0 && number <= LAST_OF_PAIRS && last !== 0 && last <= LAST_OF_PAIRS) {
    const pair = pairs.get(last * 1024 + number);
    if (pair !== undefined) {
      words[count - 1] = pair;
      return;
    }
  }
  // What no wording has separates as much as several of the kind.
  if ((number === 0 && last === 0) || count === words.length) return;
  words[count] = number;
  count += 1;
}

/** Adds the word that begins here, and says where it ends; a number goes on behind points and colons. */
function addWord(text: string, from: number): number {
  let isNumber = true;
  let hasFigures = false;
  let start = from;
  let hash = 0;
  let check = 0;
  let at = from;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const kind = KINDS[code];
    if (kind === LETTER) isNumber = false;
    else if (kind === FIGURE) hasFigures = true;
    else {
      if (!isNumber || (code !== 46 && code !== 58)) break;
      if (at + 1 === text.length || kindAt(text, at + 1) !== FIGURE) break;
      // Of an address only the port counts.
      if (code === 58) start = at + 1;
    }
    hash = hashed(hash, code);
    check = checked(check, code);
  }
  let means = UNKNOWN;
  if (hasFigures) means = readFigures(text, start, at);
  else {
    const known = remembered.get(hash);
    means = known?.check === check ? known.means : readWord(text.slice(start, at), hash, check);
  }
  for (let i = 0; i < means.length; i += 1) add(means[i]!);
  return at;
}

const DOT = 46;
const HYPHEN = 45;
/** What the names of hosts end with, besides two letters for a country. */
const TOP_LEVEL = new Set('com org net dev edu app cloud local internal example test'.split(' '));
const COUNTRY = /^[a-z]{2}$/;

/** Whether a word goes on what is before its dot or hyphen. */
function isGoingOn(text: string, at: number): boolean {
  if (at < 2 || !isPartOfWord(kindAt(text, at - 2))) return false;
  const last = text.charCodeAt(at - 1);
  return last === DOT || last === HYPHEN;
}

/** Whether a host ends behind this point: `.com:443`, not `.net.http`. */
function endsHost(text: string, dot: number): boolean {
  let at = dot + 1;
  while (kindAt(text, at) === LETTER) at += 1;
  if (at - dot < 3 || at - dot > 9) return false;
  const ending = text.slice(dot + 1, at);
  if (!TOP_LEVEL.has(ending) && !COUNTRY.test(ending)) return false;
  if (at === text.length) return true;
  const next = text.charCodeAt(at);
  return kindAt(text, at) !== FIGURE && next !== HYPHEN && (next !== DOT || kindAt(text, at + 1) === END);
}

/**
 * Reads the words of a text into `words`, as numbers in their order, and says how many; those that no wording has are zero. Those
 * of a path are not the message's, nor those of a host's name: `ocsp.example.com` has nothing to do with OCSP.
 */
export function wordsIn(text: string): number {
  count = 0;
  let before = END;
  let beforeName = 0;
  let at = 0;
  while (at < text.length) {
    const kind = kindAt(text, at);
    const code = text.charCodeAt(at);
    if (isPartOfWord(kind)) {
      if (!isGoingOn(text, at)) beforeName = count;
      at = addWord(text, at);
    } else if (code === DOT && endsHost(text, at)) {
      count = beforeName;
      add(0);
      at += 1;
      while (kindAt(text, at) === LETTER) at += 1;
    } else if (code === 47 && (before === END || before === 0) && !PATH_GOES_ON.has(text.charCodeAt(at - 1))) {
      while (at < text.length && kindAt(text, at) !== END) at += 1;
    } else at += 1;
    before = kindAt(text, at - 1);
  }
  return count;
}

/** The words of wordings are known from then on. */
export function learn(wordings: string): void {
  for (const part of wordings.split(/[^A-Za-z\d.:]+/)) {
    if (/^[\d.]+$/.test(part)) rememberFigures(part);
    else {
      for (const word of part.split(/[.:]/)) {
        if (DIGIT.test(word)) rememberFigures(word);
        else for (const meaning of meaningsOf(word)) numberOf(meaning, true);
      }
    }
  }
}

/** Which words are in a list, by their number. */
export function numbersOf(list: string): Uint8Array {
  const numbered = new Uint8Array(65_536);
  for (const meaning of list.trim().split(/\s/).flatMap(meaningsOf)) numbered[numberOf(meaning, true)] = 1;
  return numbered;
}
