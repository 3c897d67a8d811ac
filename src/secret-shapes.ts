import { HIDDEN } from './secret.ts';

/** Tokens as in gitleaks (config/gitleaks.toml, MIT, b58d3f1) and the makers' docs, restated so that each is linear. */

/** No word continues before it. JSON's `\n` and an address's `%3D` end in letters, but do not count. */
const EDGE = /(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrt]))/;

/** One line for each maker. */
const TOKENS = [
  /sk-(?:proj|svcacct|admin|ant|or|lf|None)-[\w-]{16,}|sk-[A-Za-z0-9]{20,}/, // OpenAI, Anthropic, OpenRouter
  /AIza[\w-]{30,}|GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,}|1\/\/0[\w-]{30,}/, // Google
  /(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])|ABSK[\w+/]{100,}|amzn\.mws\.[\w-]{20,}/, // AWS
  /[\w~.]{3}\dQ~[\w~.-]{31,}|[A-Za-z0-9]{52}JQQJ99[\w]{20,}|[A-Za-z0-9]{76}AZDO[\w]{4}/, // Azure
  /(?:gh[opsur]|github_pat|[rs]k_(?:live|test|prod)|whsec)[_-][\w-]{16,}/, // GitHub, Stripe
  /gl(?:pat|rt|rtr|dt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[\w.-]{16,}|GR1348941[\w-]{20,}/, // GitLab
  /xox[a-z](?:\.xox[a-z])?-[\w-]{10,}|xapp-[\w/-]{10,}/, // Slack
  /(?:npm|hf|api_org|pnu|gsk|r8|nfp|vck|vcp|tfp|rdme|figd|fo1|lin_api|lin_oauth|ntn|dckr_pat|dckr_oat|aio|odt|jina)_[\w-]{27,}/,
  /(?:glsa|glc|sntrys|sntryu|fm1a|fm1r|fm2|pscale_tkn|pscale_oauth|pscale_pw|sb_secret|CLOJARS)_[\w.+/=-]{30,}/,
  /(?:do[opr]_v1|rubygems|shp(?:at|ca|pa|ss|ua|tka)|squ|sqp|sqa|sgp|sbp|shippo_live|shippo_test|ck|cs)_[0-9a-fA-F]{32,}/,
  /edgewise_[\w-]{43}/, // its own tokens for agents
  /(?:duffel_live|duffel_test|cfat|cfut|phx|lsv2_pt|lsv2_sk|bkua|CCIPAT|secret)_[\w-]{40,}|sm_[aps]at_\w{16,}/,
  /(?:PMAK|NRAK|NRII|NRRA|NRAA|NRSP|xkeysib|pplx|xai|tvly|tskey|p8e|HRKU|fio-u|CFPAT|sq0atp|sq0csp|FLWSECK_TEST)-[\w-]{19,}/,
  /(?:pul-|dapi|p8e-|SK)[0-9a-f]{32,}(?![0-9A-Za-z])|(?<![\w-])key-[0-9a-f]{32}(?![\w-])/, // Pulumi, Databricks, Twilio, Mailgun
  /[0-9a-f]{32}-us\d{1,2}(?!\w)|SG\.[\w-]{16,32}\.[\w-]{16,}/, // Mailchimp, SendGrid
  /pypi-AgE[\w-]{40,}|oy2[a-z0-9]{43}(?!\w)|AKCp[\w]{60,}|cmVmd[\w]{55,}/, // PyPI, NuGet, Artifactory
  /hv[sbr]\.[\w-]{20,}|s\.CAES[\w-]{40,}|cio[A-Za-z0-9]{32}(?!\w)|[A-Za-z0-9]{14}\.atlasv1\.[\w-]{50,}|dp\.[a-z]{2,5}\.[\w.-]{30,}|dt0c01\.[\w.]{60,}/, // Vault, crates.io, Terraform, Doppler, Dynatrace
  /AT[AC]TT3[\w=-]{50,}|ATBB\w{28,}|ATTA\w{60,}|API-[A-Z0-9]{26}(?!\w)|SWMTKN-1-[\w-]{40,}/, // Atlassian, Octopus, Swarm
  /(?:bot)?\d{8,10}:AA[\w-]{32,}|[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}/, // Telegram, Discord
  /EAA[A-Z][A-Za-z0-9]{60,}|LTAI[A-Za-z0-9]{20}(?!\w)|EZ[AT]K\w{54}|pat\w{14}\.[0-9a-f]{64}|sl\.[\w-]{100,}/, // Facebook, Alibaba, …
  /AGE-SECRET-KEY-1[A-Z0-9]{40,}|A3-[A-Z0-9]{6}-[A-Z0-9-]{20,}|ops_eyJ[\w+/=-]{50,}|sha256~[\w-]{43}/, // age, 1Password, OpenShift
  /v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}|(?:ZXlKaGJHY2lPaU|eyJrIjoi)[\w+/=]{30,}/, // Cloudflare, a JWT in base 64, Grafana
  // The platform's account keys and storage passwords. Source: docs/platform.md, API keys.
  /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{20}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/,
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}-[0-9a-f]{4}-[0-9a-f]{4}(?![0-9a-f-])/,
  // Hashes of passwords: bcrypt, crypt, Argon2, PBKDF2.
  /\$2[abxy]\$\d\d\$[\w./]{53}|\$[156y]\$[\w./=,]{1,40}\$[\w./$]{20,}|\$argon2[id]{1,2}\$[\w=,$+/.-]{40,}/,
  /pbkdf2_sha\d{1,3}\$\d{1,8}\$[\w./]{1,40}\$[\w+/=]{30,}/,
];

/** Placeholders, and words of sentences about secrets. */
const NO_VALUE =
  /(?!\[secret\]|•|\*{3}|\$\{|\$\(|\{\{|\$\d|:\w{1,40}(?:[\s,;)]|$)|(?:is|was|are|be|not|must|should|required|invalid|expired|missing|null|none|nil|undefined|true|false|incorrect|wrong|empty|changed|reset|fail(?:ed|ure)?|unknown|unauthorized|denied|yes|no|on|off|has|can|cannot|for|and|or|the|an?|of|in|at|to|try|please|enter|too|does|did|do|you|your|with|from|string|number|boolean|bearer|basic|token|digest|apikey|negotiate|ssws)(?:[\s.,;:!?)"'\\`]|$))/;

/** Between name and value, in JSON, nested JSON, CSV, YAML, XML, code, forms and mrkdwn. */
const BETWEEN = /[\\"'`*\]]{0,16}\s{0,5}(?:={1,3}>?|:=|[:>]|%3[AD]|&gt;)\s{0,5}[\\"'`]{0,16}(?<!\\)/;
/** Quoted to the next mark, else to the end of the word. */
const VALUE = /(?:(?<=["'])[^"'\\\r\n<>`]{4,}|(?<!["'])(?:[^\s"'\\<>&|;`,}]|,(?![\s"'\\]|$)){4,})/;
const LONG_VALUE = /(?:(?<=["'])[^"'\\\r\n<>`\s,}]{8,}|(?<!["'])[^\s"'\\<>&|;`,}]{8,})/;

const PASSWORD =
  /(?:pass(?:word|wd|phrase|code)|pwd|secret|credential)s?(?:[_-]?(?:hash|value|confirm(?:ation)?|new|old|key|base))?\d{0,2}/;
const KEY =
  /(?:(?:api|access|account|private|secret|signing|encryption|master|auth|service|shared|storage|deploy|license|session|security|pre-?shared|client|app|consumer)[_-]?key|(?:access|auth|refresh|session|security|api|bot|id|app|user|client|private|deploy|personal)[_-]?token|x-[a-z-]{0,30}(?:token|key)|_auth)/;
/** Whole words whose value is secret. */
const ALONE =
  /(?:pin(?:[_-]?code)?|puk|otp|totp|mfa|cv[vc]2?|ssn|iban|(?:credit[_-]?|cc[_-]?)?card[_-]?(?:number|num|no)|cc[_-]?(?:number|num|no)|credit[_-]?card|account[_-]?number|(?:recovery|backup|verification|security|access|sms|login|auth|activation|one[_-]?time)[_-]?codes?|security[_-]?answer|seed[_-]?phrase|mnemonic)/;
const SCHEME = /(?:(?:bearer|basic|token|digest|apikey|api-key|key|negotiate|ntlm|jwt|oauth|ssws)\s{1,5}`?)?/;

/** Of columns and variables, with `_`. Public keys and sort keys do not count. */
const NAME = new RegExp(
  `${PASSWORD.source}|(?:${KEY.source}s?|(?<![a-z])(?:${ALONE.source}|tokens?|pass|pw|pat|psk|dsn|jwt|auth|authorization|bearer|cookies?|session(?:_?id|$)|salt|(?<!(?:public|primary|foreign|unique|sort|partition|cache|row)_)keys?)|ssn)(?![a-z])`,
  'i',
);

/** Of a column, a variable, a key. */
export const isSecretName = (name: string): boolean =>
  NAME.test(name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[^A-Za-z0-9]+/g, '_'));

const joined = (flags: string, ...parts: (RegExp | string)[]) =>
  new RegExp(parts.map((part) => (typeof part === 'string' ? part : part.source)).join(''), flags);

const AFTER = `$1${HIDDEN}`;
/** Without a digit or quotation marks it may be a word of a sentence. */
const whereDigits = (all: string, before: string) =>
  /["']$/.test(before) || /\d/.test(all.slice(before.length)) ? before + HIDDEN : all;

/** What stands before the secret stays. */
const RULES: readonly (readonly [RegExp, string | ((all: string, before: string) => string)])[] = [
  // A whole key, or to where it was cut; a quotation mark ends it, so that the log stays JSON.
  [
    /-----BEGIN[A-Z0-9 `]{1,40}PRIVATE[ `]{1,3}KEY(?: BLOCK)?-----(?:[\w+/=\s:,.()`]|-(?!-)|\\{1,8}[nrt/]|["']\s{0,3}[+.,]?\s{0,3}\n\s{0,40}["']|\\{1,8}["']\s{0,3}[+.,]?\s{0,3}\\{1,8}n\s{0,40}\\{1,8}["'])*(?:-----END[A-Z0-9 `]{0,40}-----)?/g,
    HIDDEN,
  ],
  [/(PuTTY-User-Key-File-\d: )[^"\\]{20,}/g, AFTER],
  // Looks behind for the whole alphabet: otherwise `eyJ-eyJ-…` would be tried from each `eyJ`.
  [/(?:(?<![\w-])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrt]))eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*){0,3}/g, HIDDEN],
  [joined('g', EDGE, '(?:', TOKENS.map(({ source }) => source).join('|'), ')'), HIDDEN],
  [/(hooks\.slack(?:-gov)?\.com\/[a-z]{1,30}\/)[\w/-]{8,}/g, AFTER],
  [
    /((?:discord(?:app)?\.com\/api\/webhooks|office\.com\/webhook(?:b2)?|hooks\.zapier\.com\/hooks)\/)[\w@%/-]{8,}/g,
    AFTER,
  ],
  [
    /((?:[?&]|&amp;)[\w-]{0,40}(?:token|key|secret|password|passwd|pwd|signature|sig|jwt|session)=)[^&\s|>"'\\`]+/gi,
    AFTER,
  ],
  [
    joined(
      'gi',
      '((?:authorization|accesskey)',
      BETWEEN,
      SCHEME,
      ')',
      NO_VALUE,
      /(?:[^\s"',}\\`|]|\|(?![\w-]{1,30}:)){8,}/,
    ),
    AFTER,
  ],
  [/((?:\b|(?<=\\[nrt]))bearer:?\s{1,5}`?)[\w.~+/=-]{20,}/gi, AFTER],
  [/((?:\b|(?<=\\[nrt]))Basic\s{1,5})(?=[a-z]{0,40}[A-Z0-9])(?![A-Z][a-z]{1,40}(?![\w+/=]))[\w+/]{8,}={0,2}/g, AFTER],
  [/(response=[\\"]{0,8}(?<!\\))[0-9a-f]{32,}|(Signature=)[0-9a-f]{32,}/g, `$1$2${HIDDEN}`],
  [/(cookie[\\"']{0,16}\s{0,5}[:=]\s{0,5}[\\"'`]{0,16}(?<!\\))(?=[\w.-]{1,100}=)[^"'\\\r\n`<>]{4,}/gi, AFTER],
  [/((?:session(?:_?id)?|PHPSESSID|JSESSIONID|connect\.sid)=)[\w%.+/=-]{16,}/gi, AFTER],
  [joined('gi', '(', KEY, BETWEEN, ')', NO_VALUE, LONG_VALUE), AFTER],
  [joined('gi', '(', PASSWORD, BETWEEN, ')', NO_VALUE, VALUE), AFTER],
  // `SHOP_KEY=…`
  [
    joined(
      'g',
      /([A-Z0-9]_(?:KEY|PAT|PASS|TOKEN|AUTH)[\\"']{0,8}\s{0,5}[:=]\s{0,5}[\\"']{0,8}(?<!\\))/,
      NO_VALUE,
      LONG_VALUE,
    ),
    whereDigits,
  ],
  [
    joined(
      'gi',
      '((?:(?<![A-Za-z])|(?<=\\\\[nrt]))',
      ALONE,
      BETWEEN,
      ')',
      NO_VALUE,
      /(?:\d[\d -]{1,40}\d|(?<=["'])[^"'\\\r\n<>`]{3,}|(?<!["'])[^\s"'\\<>&|;`,}]{3,})/,
    ),
    whereDigits,
  ],
  [/((?:\b|(?<=\\[nrt]))(?:unseal(?: key \d{1,2}:)?|bootstrap-token)\s{1,3})[\w+/.=]{20,}/gi, AFTER],
  // `token` may be a parser's word: its value is quoted, or has a digit.
  [joined('gi', '((?:token|(?<=")auth)', BETWEEN, ')', NO_VALUE, LONG_VALUE), whereDigits],
  [
    joined(
      'gi',
      /((?:(?<![\w-])|(?<=\\[nrt]))--(?:password|passwd|pass|token|secret|api-?key|(?:auth|access)-token|client-secret)[\s=]{1,5}["']?)/,
      NO_VALUE,
      VALUE,
    ),
    AFTER,
  ],
  [/((?:identified by|password)\s{1,5}')[^'\r\n\\]{4,}/gi, AFTER],
  [/((?:\b|(?<=\\[nrt]))login\s{1,5}\S{1,100}\s{1,5}password\s{1,5})(?!\[secret\])[^\s"'\\]{3,}/gi, AFTER],
  [
    /((?<=[\s"'])(?:-u|--user|--proxy-user)[\s=]{0,3}["']?[^\s:"'\\]{1,100}:)(?!\[secret\]|\d{1,6}(?:\s|$))[^\s"'\\]{3,}/g,
    AFTER,
  ],
  // `{"name":"DB_PASSWORD","value":"…"}`
  [
    /((?:password|secret|token|key)[\\"']{1,8}\s{0,3},?\s{0,3}[\\"']{0,8}value[\\"']{0,8}\s{0,3}[:=]\s{0,3}[\\"']{1,8}(?<!\\))[^"'\\\r\n]{4,}/gi,
    AFTER,
  ],
];

/** Between `://` and the last `@`. Ports stay, but only where web servers listen. */
function withoutCredentials(word: string): string {
  if (!word.includes('@') || !word.includes(':')) return word;
  const parts = word.split(/(:(?:\\{0,4}\/){2})/);
  for (let at = 2; at < parts.length; at += 2) {
    const part = parts[at] ?? '';
    const end = part.lastIndexOf('@');
    if (end < 0) continue;
    const before = part.slice(0, end);
    const colon = before.indexOf(':');
    const path = before.search(/[/?#]/);
    const isWeb = /(?:^|[^a-z])(?:https?|wss?)$/i.test((parts[at - 2] ?? '').slice(-12));
    const isPort = isWeb && path > colon && /^\d{1,5}$/.test(before.slice(colon + 1, path));
    const hasPassword = colon >= 0 && (path < 0 || colon < path) && !isPort;
    const isToken = colon < 0 && path < 0 && before.length >= 20;
    if (hasPassword || isToken) parts[at] = HIDDEN + part.slice(end);
  }
  return parts.join('');
}

/** Idempotent. */
export function hideShapes(text: string): string {
  // Never past a quotation mark, though JSON may write `\/`.
  const bare = text.includes('@') ? text.replace(/(?:[^\s"'<>\\`]|\\{1,4}\/)+/g, withoutCredentials) : text;
  return RULES.reduce(
    (current, [shape, shown]) =>
      typeof shown === 'string' ? current.replace(shape, shown) : current.replace(shape, shown),
    bare,
  );
}
