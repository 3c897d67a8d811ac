import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const IMAGE = /^(ARG BASE=)(\S+?):([^\s:@]+)(@sha256:[0-9a-f]{64})?$/m;
/** The list of an image's platforms, in the formats that registries have it in. */
const FORMATS = 'application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json';

/**
 * `npm run pin-base`: writes the digest that the image of `ARG BASE` has now into the Dockerfile, so that what is built does not
 * change when somebody else moves the tag. Registry API: https://distribution.github.io/distribution/spec/api/.
 */
async function main(args) {
  const { values } = parseArgs({
    args,
    options: {
      dockerfile: { type: 'string', default: 'Dockerfile' },
      registry: { type: 'string', default: 'https://registry-1.docker.io' },
      auth: { type: 'string', default: 'https://auth.docker.io/token?service=registry.docker.io' },
    },
  });
  const text = readFileSync(values.dockerfile, 'utf8');
  const [, before, name, tag, pinned] = IMAGE.exec(text) ?? [];
  if (name === undefined || tag === undefined)
    throw new Error(`${values.dockerfile} has no line ARG BASE=<image>:<tag>.`);
  const repository = name.includes('/') ? name : `library/${name}`;
  const token = await fetched(`${values.auth}&scope=repository:${repository}:pull`, {});
  const { token: bearer } = JSON.parse(token.toString('utf8'));
  const manifest = await fetched(`${values.registry}/v2/${repository}/manifests/${tag}`, {
    accept: FORMATS,
    authorization: `Bearer ${bearer}`,
  });
  const digest = `@sha256:${createHash('sha256').update(manifest).digest('hex')}`;
  writeFileSync(values.dockerfile, text.replace(IMAGE, `${before}${name}:${tag}${digest}`));
  console.log(`${name}:${tag} is ${digest.slice(1)}${digest === pinned ? ', as before' : ''}.`);
}

async function fetched(address, headers) {
  const response = await fetch(address, { headers, signal: AbortSignal.timeout(20_000) });
  if (!response.ok) throw new Error(`${address} answered ${response.status}.`);
  return Buffer.from(await response.arrayBuffer());
}

main(process.argv.slice(2)).catch(({ message, cause }) => {
  console.error(`${cause instanceof Error ? `${message}: ${cause.message}` : message}\nThe Dockerfile is as it was.`);
  process.exitCode = 1;
});
