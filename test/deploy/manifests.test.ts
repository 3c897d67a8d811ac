import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { parseDockerfile } from '../../judges/image/image.ts';
import { environmentSchema, SECRETS } from '../../src/config.ts';
import { fileOf } from '../../src/setting-checks.ts';
import { startTestWorkspace } from '../support/workspace.ts';

const read = (path: string) => readFileSync(path, 'utf8');
const FOLDER = 'deploy/kubernetes';

/** As much of both files as is looked at. */
interface Service {
  image: string;
  environment?: Record<string, string | number>;
  volumes?: string[];
  ports?: string[];
}
interface Kind {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
}
interface Probe {
  httpGet: { path: string; port: string };
  failureThreshold: number;
}
interface Container {
  name: string;
  image: string;
  env: { name: string; value: string }[];
  ports: { name: string; containerPort: number }[];
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
  volumeMounts: { name: string; mountPath: string }[];
  securityContext: object;
}
interface Workload extends Kind {
  spec: {
    replicas: number;
    template: {
      spec: {
        containers: Container[];
        volumes: { name: string; configMap?: { name: string } }[];
        terminationGracePeriodSeconds: number;
      };
    };
  };
}
interface Kustomization {
  resources: string[];
  configMapGenerator: { name: string; literals?: string[]; files?: string[] }[];
  secretGenerator: { name: string; files: string[] }[];
}

const compose = parse(read('deploy/compose.yml'), { merge: true }) as { services: Record<string, Service> };
/** With what stands behind a mark alone, as whoever needs it takes the mark away. */
const withOptions = (text: string) => text.replace(/^( *)#(?=\S| {2})/gm, '$1');
const kustomization = parse(read(`${FOLDER}/kustomization.yaml`)) as Kustomization;
const kinds = kustomization.resources.flatMap((file) =>
  parseAllDocuments(read(join(FOLDER, file))).map((document) => document.toJS() as Kind),
);
const workload = (name: string) =>
  kinds.find(({ kind, metadata }) => /Deployment|StatefulSet/.test(kind) && metadata.name === name) as Workload;
const bot = workload('edgewise').spec.template.spec.containers[0]!;
const SETTINGS = new Set([...Object.keys(environmentSchema.shape), ...SECRETS.map(fileOf)]);

/** Where the published types have each kind. Source: the package kubernetes-types, made from Kubernetes' own OpenAPI of 1.30. */
const MODULES: Record<string, string> = { v1: 'core/v1', 'networking.k8s.io/v1': 'networking/v1' };

describe('deploy/compose.yml', () => {
  it('names settings, ports and folders that there are', () => {
    const { edgewise, replica } = compose.services;
    for (const service of [edgewise!, replica!]) {
      expect(Object.keys(service.environment ?? {}).filter((name) => !SETTINGS.has(name))).toEqual([]);
      expect(service.environment?.PORT).toBe(3000);
    }
    const said = parseDockerfile(read('Dockerfile'));
    const of = (name: string) => said.find((one) => one.name === name)?.rest;
    expect(edgewise?.ports).toEqual([`127.0.0.1:${of('EXPOSE')}:${of('EXPOSE')}`]);
    expect(edgewise?.volumes).toEqual([`data:${of('VOLUME')}`]);
    expect(edgewise?.image).toBe(`edgewise:${JSON.parse(read('package.json')).version}`);
  });

  it('mounts a policy, to be read only, where a mark is taken away', () => {
    const { services } = parse(withOptions(read('deploy/compose.yml')), { merge: true }) as typeof compose;
    for (const service of [services.edgewise, services.replica])
      expect(service?.volumes?.at(-1)).toBe('../policy.yml:/app/policy.yml:ro');
  });
});

describe('deploy/kubernetes', () => {
  it('is as the published types of Kubernetes have it', { timeout: 60_000 }, () => {
    const folder = mkdtempSync('node_modules/.edgewise-kinds-');
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const typed = (all: readonly object[]) =>
      (all as Kind[]).map(({ apiVersion, kind, ...rest }, at) => {
        const type = `import('kubernetes-types/${MODULES[apiVersion] ?? apiVersion}').${kind}`;
        return `export const kind${at}: ${type} = ${JSON.stringify({ apiVersion, kind, ...rest })};\n`;
      });
    const tsc = (name: string, all: readonly object[]) => {
      const file = join(folder, `${name}.ts`);
      writeFileSync(file, typed(all).join(''));
      const flags = ['--noEmit', '--strict', '--module', 'preserve', '--ignoreConfig', file];
      return spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', ...flags], { encoding: 'utf8' }).stdout;
    };
    expect(tsc('kinds', kinds)).toBe('');
    const spec = { ports: [{ port: 80, targetPorrt: 'http' }] };
    expect(tsc('mistake', [{ apiVersion: 'v1', kind: 'Service', spec }])).toContain('targetPorrt');
    expect(
      readdirSync(FOLDER)
        .filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
        .sort(),
    ).toEqual([...kustomization.resources].sort());
  });

  it('names settings that there are, and a file of a secret for each that is given so', () => {
    const literals = kustomization.configMapGenerator.flatMap(({ literals = [] }) =>
      literals.map((one) => one.split('=')[0]!),
    );
    const named = [...literals, ...bot.env.map(({ name }) => name)];
    expect(named.filter((name) => !SETTINGS.has(name))).toEqual([]);
    expect(new Set(named).size).toBe(named.length);
    const required = Object.entries(environmentSchema.shape).filter(
      ([, setting]) => !setting.safeParse(undefined).success,
    );
    for (const [name] of required)
      expect(
        named.some((one) => one === name || one === fileOf(name)),
        name,
      ).toBe(true);
    const { mountPath } = bot.volumeMounts.find(({ name }) => name === 'secrets')!;
    const given = bot.env.filter(({ name }) => SECRETS.some((secret) => fileOf(secret) === name));
    const { files } = kustomization.secretGenerator.find(({ name }) => name === 'edgewise')!;
    expect(given.map(({ value }) => value)).toEqual(files.map((file) => file.replace('secrets', mountPath)));
    expect(
      bot.env.filter(({ name }) => SECRETS.includes(name)),
      'no secret by itself',
    ).toEqual([]);
  });

  it('gives a policy and the certificate of the store to be read, where marks are taken away', () => {
    const [deployment] = parseAllDocuments(withOptions(read(`${FOLDER}/edgewise.yaml`))).map((one) => one.toJS());
    const { containers, volumes } = (deployment as Workload).spec.template.spec;
    const { env, volumeMounts } = containers[0]!;
    const { mountPath, name } = volumeMounts.find((mount) => mount.name === 'files')!;
    const map = volumes.find((volume) => volume.name === name)?.configMap?.name;
    const { configMapGenerator } = parse(withOptions(read(`${FOLDER}/kustomization.yaml`))) as Kustomization;
    const files = configMapGenerator.find((one) => one.name === map)?.files ?? [];
    const added = env.slice(bot.env.length).map(({ name: setting, value }) => [setting, value]);
    expect(added).toEqual(['POLICY_FILE', 'STORE_CA'].map((setting, at) => [setting, `${mountPath}/${files[at]}`]));
  });

  it('takes a replica out of the service after the third probe that fails, not after one that is slow', () => {
    expect(bot.readinessProbe.failureThreshold).toBe(3);
  });

  it('asks paths and ports that the bot answers at', async () => {
    const workspace = await startTestWorkspace();
    onTestFinished(() => workspace.close());
    for (const { httpGet } of [bot.startupProbe, bot.livenessProbe, bot.readinessProbe]) {
      const { status } = await fetch(`http://127.0.0.1:${workspace.app.port}${httpGet.path}`);
      expect(status, httpGet.path).toBe(200);
      expect(httpGet.port).toBe('http');
    }
    const ports = Object.fromEntries(bot.ports.map(({ name, containerPort }) => [name, String(containerPort)]));
    const settingOf = (setting: string) => bot.env.find(({ name }) => name === setting)?.value;
    expect(ports).toEqual({ http: settingOf('PORT'), metrics: settingOf('METRICS_PORT') });
  });

  it('runs two replicas, without any privilege', () => {
    expect(workload('edgewise').spec.replicas).toBe(2);
    for (const { securityContext } of [bot])
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
  });
});
