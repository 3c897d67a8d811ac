import { characters, seeded } from './secret-shapes.js';

const hex = '0123456789abcdef';
const digits = '0123456789';
const word = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const names = [
  'cart',
  'search',
  'products',
  'blog',
  'api',
  'admin',
  'static',
  'media',
  'key',
  'token',
  'password-reset',
  'auth',
  'cookies',
];

/** Lines as servers, builds and databases write them, without a secret in any, though many have something that looks random. */
export function* ordinaryLines(count: number, seed = 1): Generator<string> {
  const random = seeded(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const of = (alphabet: string, length: number) => characters(random, alphabet, length);
  const one = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const uuid = () => [8, 4, 4, 4, 12].map((length) => of(hex, length)).join('-');
  const ip = () => [0, 0, 0, 0].map(() => below(256)).join('.');
  const two = () => String(below(60)).padStart(2, '0');
  const time = () => `2026-07-${String(1 + below(28)).padStart(2, '0')}T${two()}:${two()}:${two()}.${of(digits, 3)}Z`;
  const path = () =>
    `/${one(names)}/${one(names)}/${one([() => of(digits, 7), uuid, () => of(hex, 24), () => one(names)])()}`;
  const asset = () =>
    `/assets/${one(['main', 'vendor', 'chunk'])}-${one([of(hex, 8), of(hex, 20), of(word, 22)])}.${one(['js', 'css', 'woff2'])}`;
  const image = () => `/images/${of(word, one([22, 32, 43]))}.${one(['png', 'webp', 'jpg'])}`;
  const agent = () =>
    one([
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
      'curl/8.5.0',
      'Googlebot/2.1 (+http://www.google.com/bot.html)',
    ]);
  const query = () =>
    one([`page=${below(90)}`, `id=${uuid()}`, `utm_source=${one(names)}`, `v=${of(hex, 12)}`, `sort=key&order=asc`]);
  const kinds: (() => string)[] = [
    () =>
      `${ip()} - - [22/Jul/2026:${two()}:${two()}:${two()} +0000] "GET ${path()}?${query()} HTTP/1.1" 200 ${below(9e5)} "-" "${agent()}"`,
    () =>
      `${ip()} - ada [22/Jul/2026:${two()}:${two()}:${two()} +0000] "GET ${asset()} HTTP/2.0" 304 0 "https://shop.example.com${path()}" "${agent()}"`,
    () =>
      `HIT|200|${below(2e9)}|${below(9e5)}|${below(9e6)}|${ip()}|-|https://shop.example.com${image()}|DE|${agent()}|${of(hex, 32)}|DE`,
    () =>
      `${time()} [error] 31#31: *${below(9e6)} open() "/usr/share/nginx/html${path()}" failed (2: No such file or directory)`,
    () =>
      `${time()} upstream timed out while reading, client: ${ip()}, request: "POST ${path()} HTTP/1.1", host: "shop.example.com"`,
    () => `etag: W/"${of(hex, 5)}-${of(word, 27)}"`,
    () => `traceparent: 00-${of(hex, 32)}-${of(hex, 16)}-01`,
    () => `x-request-id: ${uuid()} cdn-requestid: ${of(hex, 32)}`,
    () => `Merge commit '${of(hex, 40)}' into ${one(names)}-${below(900)}`,
    () => `sha256:${of(hex, 64)}  dist${asset()}`,
    () => `"integrity": "sha512-${of(`${word}+/`, 86)}=="`,
    () =>
      `{"level":30,"time":${1.78e12 + below(1e9)},"reqId":"${of(word, 8)}","url":"${path()}","msg":"request completed"}`,
    () =>
      `    at async ${one(['Object', 'Router', 'Layer'])}.${one(names)} (file:///app/dist${asset()}:${below(900)}:${below(90)})`,
    () =>
      `SQLITE_ERROR: no such column: ${one(['token', 'api_key', 'password', 'total'])} in "SELECT id FROM ${one(names)} WHERE id = ${below(9e5)}"`,
    () => `ERROR: duplicate key value violates unique constraint "users_pkey" Key (id)=(${below(9e6)}) already exists.`,
    () => `TypeError: Cannot read properties of undefined (reading '${one(['token', 'key', 'cookie', 'length'])}')`,
    () =>
      `${one(['Invalid password', 'Token expired', 'Missing API key', 'Cookie not set', 'secret not found'])} for user ${below(9e5)} from ${ip()}`,
    () => `s3://backups/${time().slice(0, 10)}/${uuid()}/part-${of(digits, 5)}-${uuid()}.snappy.parquet`,
    () => `https://cdn.example.com${path()}?v=${of(hex, 8)}#${one(names)}`,
    () => `data:image/png;base64,iVBORw0KGgo${of(`${word}+/`, 60)}`,
    () => `pod/shop-${of(hex, 10)}-${of('bcdfghjklmnpqrstvwxz2456789', 5)} Started container key-server`,
    () => `cache key: shop.example.com${path()}?${query()}`,
    () => `Set-Cookie sent without SameSite by ${path()}`,
    () =>
      `key=${one(['id', 'name', 'page', 'created_at'])} token count=${below(9e3)} tokens: ${below(9e3)} password length: ${below(60)}`,
    () =>
      `GET /oauth/authorize?client_id=${of(digits, 8)}&response_type=code&redirect_uri=https%3A%2F%2Fshop.example.com%2Fcb HTTP/1.1`,
    () => `user@shop.example.com logged in via ssh://git@git.example.com:2222/shop.git`,
    () => `ssl: SHA256:${of(`${word}+/`, 43)} public key accepted for git, port ${below(60000)}`,
    () => `docker pull registry.example.com:5000/shop@sha256:${of(hex, 64)}`,
    () => `GET ${image().replace('/images/', '/img/c_fill,w_300/')}?${query()} 200 ${below(90)}ms`,
    () =>
      `webpack compiled ${of(hex, 20)} in ${below(9000)} ms, asset main.${of(hex, 20)}.js ${below(900)} KiB [emitted] [immutable]`,
  ];
  for (let line = 0; line < count; line++) yield (kinds[line % kinds.length] as () => string)();
}
