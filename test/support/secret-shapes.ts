const digits = '0123456789';
const lower = 'abcdefghijklmnopqrstuvwxyz';
const hex = `${digits}abcdef`;
const upper = lower.toUpperCase();
const word = lower + upper + digits;
const base64 = `${word}+/`;
const base64url = `${word}-_`;

/** A secret as it is met: the line that it stands in, and the part that nobody may read. */
export interface SecretShape {
  name: string;
  line: string;
  secret: string;
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** So many characters of an alphabet. */
export function characters(random: () => number, alphabet: string, count: number): string {
  return Array.from({ length: count }, () => alphabet[Math.floor(random() * alphabet.length)]).join('');
}

type Draw = (alphabet: string, count: number) => string;

const uuid = (draw: Draw) => [8, 4, 4, 4, 12].map((count) => draw(hex, count)).join('-');
const dashes = '-----';

/** What providers document as the form of their keys. The prefix is joined to the rest here, so that no file holds a whole one. */
const tokens: Record<string, (draw: Draw) => string> = {
  'an OpenAI key': (draw) => `sk${'-'}${draw(word, 20)}T3BlbkFJ${draw(word, 20)}`,
  'an OpenAI project key': (draw) => `sk${'-'}proj-${draw(base64url, 74)}T3BlbkFJ${draw(base64url, 74)}`,
  'an Anthropic key': (draw) => `sk${'-'}ant-api03-${draw(base64url, 93)}AA`,
  'an OpenRouter key': (draw) => `sk${'-'}or-v1-${draw(hex, 64)}`,
  'a Google API key': (draw) => `AI${'za'}${draw(word, 35)}`,
  'a Google client secret': (draw) => `GOC${'SPX'}-${draw(word, 28)}`,
  'a Google access token': (draw) => `ya${'29'}.${draw(word, 120)}`,
  'an npm token': (draw) => `np${'m_'}${draw(word, 36)}`,
  'a GitHub personal token': (draw) => `gh${'p_'}${draw(word, 36)}`,
  'a GitHub OAuth token': (draw) => `gh${'o_'}${draw(word, 36)}`,
  'a GitHub server token': (draw) => `gh${'s_'}${draw(word, 36)}`,
  'a fine-grained GitHub token': (draw) => `github${'_pat_'}${draw(word, 22)}_${draw(word, 59)}`,
  'a GitLab personal token': (draw) => `gl${'pat'}-${draw(word, 20)}`,
  'a GitLab runner token': (draw) => `gl${'rt'}-${draw(word, 20)}`,
  'an AWS access key id': (draw) => `AK${'IA'}${draw(`${upper}234567`, 16)}`,
  'a temporary AWS access key id': (draw) => `AS${'IA'}${draw(`${upper}234567`, 16)}`,
  'a Slack bot token': (draw) => `xo${'xb'}-${draw(digits, 12)}-${draw(digits, 13)}-${draw(word, 24)}`,
  'a Slack app token': (draw) => `xa${'pp'}-1-A${draw(upper, 10)}-${draw(digits, 13)}-${draw(hex, 64)}`,
  'a Slack configuration token': (draw) => `xo${'xe'}.xo${'xp'}-1-${draw(word, 164)}`,
  'a Stripe secret key': (draw) => `sk${'_live_'}${draw(word, 24)}`,
  'a restricted Stripe key': (draw) => `rk${'_live_'}${draw(word, 24)}`,
  'a Stripe webhook secret': (draw) => `wh${'sec_'}${draw(word, 32)}`,
  'a Twilio API key': (draw) => `S${'K'}${draw(hex, 32)}`,
  'a SendGrid key': (draw) => `S${'G.'}${draw(base64url, 22)}.${draw(base64url, 43)}`,
  'a Mailgun key': (draw) => `k${'ey-'}${draw(hex, 32)}`,
  'a Mailchimp key': (draw) => `${draw(hex, 32)}-${'us'}12`,
  'a DigitalOcean token': (draw) => `do${'p_v1_'}${draw(hex, 64)}`,
  'a Shopify token': (draw) => `sh${'pat_'}${draw(hex, 32)}`,
  'a PyPI token': (draw) => `py${'pi-'}AgEIcHlwaS5vcmc${draw(base64url, 70)}`,
  'a RubyGems key': (draw) => `ruby${'gems_'}${draw(hex, 48)}`,
  'a Hugging Face token': (draw) => `h${'f_'}${draw(lower + upper, 34)}`,
  'a Databricks token': (draw) => `da${'pi'}${draw(hex, 32)}`,
  'a Docker Hub token': (draw) => `dck${'r_pat_'}${draw(word, 27)}`,
  'a Vault token': (draw) => `h${'vs.'}${draw(word, 24)}`,
  'a Grafana service token': (draw) => `gl${'sa_'}${draw(word, 32)}_${draw(hex, 8)}`,
  'a Linear key': (draw) => `lin${'_api_'}${draw(word, 40)}`,
  'a Notion token': (draw) => `nt${'n_'}${draw(digits, 11)}${draw(word, 35)}`,
  'a Doppler token': (draw) => `dp${'.pt.'}${draw(word, 43)}`,
  'a Fly token': (draw) => `fm${'2_'}${draw(base64, 120)}`,
  'a Sentry user token': (draw) => `sn${'tryu_'}${draw(hex, 64)}`,
  'a New Relic key': (draw) => `NR${'AK-'}${draw(upper + digits, 27)}`,
  'a PlanetScale token': (draw) => `psc${'ale_tkn_'}${draw(base64url, 43)}`,
  'a Postman key': (draw) => `PM${'AK-'}${draw(hex, 24)}-${draw(hex, 34)}`,
  'a Pulumi token': (draw) => `pu${'l-'}${draw(hex, 40)}`,
  'an Atlassian token': (draw) => `ATA${'TT3'}${draw(base64url, 180)}=${draw(hex.toUpperCase(), 8)}`,
  'an Azure client secret': (draw) => `${draw(word, 3)}8${'Q~'}${draw(word, 34)}`,
  'a Telegram bot token': (draw) => `${draw('123456789', 10)}${':AA'}${draw(base64url, 33)}`,
  'a Discord bot token': (draw) => `M${draw(word, 25)}.${draw(word, 6)}.${draw(word, 38)}`,
  'an age key': (draw) => `AGE-SECRET${'-KEY-1'}${draw('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58)}`,
  'a 1Password secret key': (draw) =>
    `A${'3-'}${[6, 6, 5, 5, 5, 5].map((count) => draw(upper + digits, count)).join('-')}`,
  'a Cloudflare origin key': (draw) => `v1${'.0-'}${draw(hex, 24)}-${draw(hex, 146)}`,
  'a JSON web token': (draw) => `ey${'J'}${draw(word, 34)}.ey${'J'}${draw(word, 60)}.${draw(base64url, 43)}`,
  'an account key of the platform': (draw) => uuid(draw) + uuid(draw),
  'a storage key of the platform': (draw) => [8, 4, 4, 12, 4, 4].map((count) => draw(hex, count)).join('-'),
  'a bcrypt hash': (draw) => `$2${'b$'}12$${draw(`${word}./`, 53)}`,
  'a crypt hash': (draw) => `$${'6$'}${draw(word, 16)}$${draw(`${word}./`, 86)}`,
  'an Argon2 hash': (draw) => `$argon${'2id$'}v=19$m=65536,t=3,p=4$${draw(base64, 22)}$${draw(base64, 43)}`,
};

/** What is a secret by the words around it. The secret stands between « and ». */
const settings: Record<string, (draw: Draw) => string> = {
  'a password after a colon': (draw) => `password: «${draw(word, 14)}»`,
  'a password in JSON': (draw) => `{"user":"ada","password":"«${draw(word, 14)}»"}`,
  'a password in JSON in JSON': (draw) => `{"log":"{\\"password\\":\\"«${draw(word, 14)}»\\"}"}`,
  'a password in the environment': (draw) => `DB_PASSWORD=«${draw(word, 12)}» node main.js`,
  'a password with spaces in quotes': (draw) =>
    `passphrase = "«${draw(lower, 7)} ${draw(lower, 6)} ${draw(lower, 7)}»"`,
  'a password of a connection string': (draw) => `Server=db.internal;User Id=app;Pwd=«${draw(word, 14)}»;Encrypt=true`,
  'a password given to a program': (draw) => `pg_dump --password «${draw(word, 14)}» shop`,
  'a password in XML': (draw) => `<user>ada</user><password>«${draw(word, 14)}»</password>`,
  'a password in SQL': (draw) => `CREATE USER ada IDENTIFIED BY '«${draw(word, 14)}»'`,
  'a password in .netrc': (draw) => `machine api.example.com login ada password «${draw(word, 14)}»`,
  'a password in a form body': (draw) => `body: user=ada&password=«${draw(word, 14)}»&next=%2F`,
  'a password in a database address': (draw) => `postgres://app:«${draw(word, 14)}»@db.internal:5432/shop`,
  'a password with a slash in an address': (draw) =>
    `postgres://app:«${draw(word, 6)}/${draw(word, 6)}»@db.internal:5432/shop`,
  'a password with an at sign in an address': (draw) =>
    `mysql://app:«${draw(word, 6)}@${draw(word, 6)}»@db.internal/shop`,
  'a password without a user in an address': (draw) => `redis://:«${draw(word, 14)}»@cache.internal:6379/0`,
  'a token as the user of an address': (draw) => `https://«${draw(word, 20)}»@git.example.com/shop.git`,
  'Authorization: Basic': (draw) => `Authorization: Basic «${draw(base64, 24)}»`,
  'Authorization: Bearer': (draw) => `> authorization: Bearer «${draw(word, 24)}»`,
  'Authorization: token': (draw) => `Authorization: token «${draw(hex, 40)}»`,
  'Authorization with a bare value': (draw) => `Authorization: «${draw(word, 40)}»`,
  'Proxy-Authorization': (draw) => `Proxy-Authorization: Basic «${draw(base64, 20)}»`,
  'Authorization: Digest': (draw) => `Authorization: Digest username="ada", realm="x", response="«${draw(hex, 32)}»"`,
  'X-Api-Key': (draw) => `X-Api-Key: «${draw(word, 20)}»`,
  'AccessKey as a header': (draw) => `AccessKey: «${draw(word, 30)}»`,
  'X-Auth-Token': (draw) => `x-auth-token: «${draw(word, 20)}»`,
  'headers in JSON': (draw) => `{"headers":{"x-api-key":"«${draw(word, 20)}»","accept":"*/*"}}`,
  Cookie: (draw) => `Cookie: theme=dark; session=«${draw(word, 26)}»`,
  'Set-Cookie': (draw) => `Set-Cookie: sid=«${draw(word, 26)}»; Path=/; HttpOnly`,
  'an account key of Azure storage': (draw) =>
    `DefaultEndpointsProtocol=https;AccountName=shop;Account${'Key='}«${draw(base64, 86)}==»;EndpointSuffix=core.windows.net`,
  'a shared access key': (draw) =>
    `Endpoint=sb://shop/;SharedAccessKeyName=root;SharedAccess${'Key='}«${draw(base64, 43)}=»`,
  'a shared access signature': (draw) => `/shop/a.png?sv=2022-11-02&se=2030-01-01&sig=«${draw(word, 43)}»%3D`,
  'a presigned address': (draw) => `/a.png?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=«${draw(hex, 64)}»`,
  'an AWS secret': (draw) => `aws_secret_access_key = «${draw(base64, 40)}»`,
  'a token in a query': (draw) => `GET /v1/items?access_token=«${draw(word, 24)}»&page=2 HTTP/1.1`,
  'a key in a query': (draw) => `GET /v1/items?page=2&api_key=«${draw(word, 24)}» HTTP/1.1`,
  'a token in the address of a database': (draw) => `libsql://shop.example.com?authToken=«${draw(word, 40)}»`,
  'a token in .npmrc': (draw) => `//registry.example.com/:_authToken=«${draw(word, 36)}»`,
  'a login of a Docker registry': (draw) => `{"auths":{"registry.example.com":{"auth":"«${draw(word, 32)}»"}}}`,
  'a client secret': (draw) => `client_id=shop&client_secret=«${draw(word, 24)}»`,
  'a secret in camel case': (draw) => `{ clientSecret: '«${draw(word, 24)}»' }`,
  'a secret in the address of an authenticator': (draw) =>
    `otpauth://totp/shop:ada?secret=«${draw(upper, 16)}»&issuer=shop`,
  'a WireGuard key': (draw) => `PrivateKey = «${draw(base64, 43)}=»`,
  'a login given to curl': (draw) => `curl -u ada:«${draw(word, 14)}» https://api.example.com/v1`,
  'a webhook of Slack': (draw) =>
    `https://hooks.slack${'.com'}/services/T${draw(upper, 8)}/B${draw(upper, 8)}/«${draw(word, 24)}»`,
  'a webhook of Discord': (draw) => `https://discord${'.com'}/api/webhooks/${draw(digits, 18)}/«${draw(word, 68)}»`,
  'a private key': (draw) =>
    `${dashes}BEGIN RSA PRIVATE ${'KEY'}${dashes}\n«${draw(base64, 64)}\n${draw(base64, 64)}»\n${dashes}END RSA PRIVATE KEY${dashes}`,
  'a private key without its end': (draw) =>
    `${dashes}BEGIN PRIVATE ${'KEY'}${dashes}\n«${draw(base64, 64)}\n${draw(base64, 50)}»`,
  'a private key on one line': (draw) =>
    `{"key":"${dashes}BEGIN EC PRIVATE ${'KEY'}${dashes}\\n«${draw(base64, 64)}\\n${draw(base64, 30)}»\\n${dashes}END EC PRIVATE KEY${dashes}\\n"}`,
  'a key of OpenSSH': (draw) =>
    `${dashes}BEGIN OPENSSH PRIVATE ${'KEY'}${dashes} «${draw(base64, 70)} ${draw(base64, 70)}»`,
  'a key of PGP': (draw) =>
    `${dashes}BEGIN PGP PRIVATE KEY ${'BLOCK'}${dashes}\n\n«${draw(base64, 64)}\n=${draw(word, 4)}»`,
};

/** Every shape, each drawn anew from the seed. */
export function secretShapes(seed = 1): SecretShape[] {
  const random = seeded(seed);
  const draw: Draw = (alphabet, count) => characters(random, alphabet, count);
  return [
    ...Object.entries(tokens).map(([name, write]) => {
      const secret = write(draw);
      return { name, line: `the call with ${secret} was answered`, secret };
    }),
    ...Object.entries(settings).map(([name, write]) => {
      const [before = '', rest = ''] = write(draw).split('«');
      const [secret = '', after = ''] = rest.split('»');
      return { name, line: before + secret + after, secret };
    }),
  ];
}

/** The names of those secrets of which something can be read in a text: the same question of many at once. */
export function secretsLeft(shapes: readonly SecretShape[]): (text: string) => string[] {
  const pieces = new Map<string, string>();
  for (const { name, secret } of shapes) {
    const flat = secret.replace(/\s/g, '');
    for (let at = 0; at + 8 <= flat.length; at++) pieces.set(flat.slice(at, at + 8), name);
  }
  return (text) => {
    const flat = text.replace(/\\+[nr]|\s/g, '');
    const names = new Set<string>();
    for (let at = 0; at + 8 <= flat.length; at++) {
      const name = pieces.get(flat.slice(at, at + 8));
      if (name !== undefined) names.add(name);
    }
    return [...names];
  };
}

/** Something of the secret can be read: eight of its characters in a row, however lines are broken. */
export function partsLeft(text: string, secret: string): boolean {
  const flat = (from: string) => from.replace(/\\+[nr]|\s/g, '');
  const [whole, part] = [flat(text), flat(secret)];
  return Array.from({ length: Math.max(1, part.length - 7) }, (_, at) => part.slice(at, at + 8)).some((piece) =>
    whole.includes(piece),
  );
}
