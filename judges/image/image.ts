import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A line of a Dockerfile, with those that it goes on in. */
interface Instruction {
  name: string;
  rest: string;
}

/** The instructions of a Dockerfile, without its comments. */
export function parseDockerfile(text: string): Instruction[] {
  const lines = text.replace(/^#.*\n/gm, '').replace(/\\\n\s*/g, '');
  return [...lines.matchAll(/^([A-Z]+) +(.+)$/gm)].map(([, name = '', rest = '']) => ({ name, rest }));
}

/** What an image says of how it runs, and where its root was laid out. */
export interface Image {
  folder: string;
  environment: Record<string, string>;
  user: string;
  stopSignal: NodeJS.Signals;
  /** Without the `-e …` around it: program and words. */
  command: readonly string[];
  health: readonly string[];
  labels: string;
  volumes: readonly string[];
  ports: readonly string[];
  /** A process in it: the root read-only, as its user where this one is root. */
  run(words: readonly string[], environment: Record<string, string>): ChildProcess;
  remove(): void;
}

/** What `npm ci` does in a stage: by itself, or something quicker. */
type Install = (folder: string, command: string) => void;

/** The packages of this checkout in place of those of the registry, without those for development where they are left out. */
export const installed: Install = (folder, command) => {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true }>;
  };
  const isKept = (path: string) => path !== '' && !(command.includes('--omit=dev') && packages[path]!.dev === true);
  const outermost = Object.keys(packages).filter(
    (path) => isKept(path) && existsSync(join(root, path)) && path.lastIndexOf('node_modules/') === 0,
  );
  if (!command.includes('--omit=dev')) outermost.push('node_modules/.bin');
  mkdirSync(join(folder, 'node_modules'));
  // Links where one file system has both: nothing is written to the files.
  execFileSync('sh', ['-c', 'cp -al --parents "$@" 2>&- || cp -a --parents "$@"', 'cp', ...outermost, folder], {
    cwd: root,
  });
};

/** By npm, from the registry or what it remembers of it. */
export const byNpm: Install = (folder, command) => {
  const env = { ...process.env, npm_config_prefer_offline: 'true', npm_config_loglevel: 'error' };
  execFileSync('sh', ['-c', command], { cwd: folder, env, stdio: 'inherit' });
};

/** Does what the Dockerfile says, stage by stage, in folders instead of images; there is no engine. */
export function buildImage(install: Install): Image {
  const scratch = mkdtempSync(join(tmpdir(), 'edgewise-image-'));
  chmodSync(scratch, 0o755);
  const context = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  const stages = new Map<string, string>();
  const image = {
    environment: {},
    user: 'root',
    stopSignal: '',
    command: [],
    health: [],
    labels: '',
    volumes: [],
    ports: [],
  };
  const said: Record<string, unknown> = image;
  let folder = '';
  for (const { name, rest } of parseDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8'))) {
    if (name === 'FROM') {
      folder = join(scratch, `${stages.size}`, 'app');
      stages.set(/ AS (\S+)$/.exec(rest)?.[1] ?? 'the image', folder);
      mkdirSync(folder, { recursive: true });
    } else if (name === 'WORKDIR') {
      if (rest !== '/app') throw new Error(`WORKDIR ${rest}: only /app is known here.`);
    } else if (name === 'COPY') copy(rest, folder, context, stages);
    else if (name === 'RUN') {
      if (rest.startsWith('npm ci')) install(folder, rest);
      else
        execFileSync('sh', ['-ec', process.getuid?.() === 0 ? rest : rest.replace(/ && chown .*/, '')], {
          cwd: folder,
        });
    } else if (name === 'ENV') for (const pair of rest.split(' ')) Object.assign(image.environment, toPair(pair));
    else if (name === 'LABEL') image.labels = rest;
    else if (name === 'USER') image.user = rest;
    else if (name === 'STOPSIGNAL') image.stopSignal = rest;
    else if (name === 'CMD') said.command = JSON.parse(rest);
    else if (name === 'HEALTHCHECK') said.health = JSON.parse(/ CMD (\[.*\])$/.exec(rest)?.[1] ?? '');
    else if (name === 'VOLUME') said.volumes = [rest];
    else if (name === 'EXPOSE') said.ports = [rest];
    else if (name !== 'ARG') throw new Error(`${name} is not known here.`);
  }
  lock(folder);
  return {
    ...(image as unknown as Omit<Image, 'folder' | 'run' | 'remove'>),
    folder,
    run([program = '', ...words], environment) {
      const [uid, gid] = image.user.split(':');
      const as = process.getuid?.() === 0 ? ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] : [];
      const [first = '', ...more] = [...as, program === 'node' ? process.execPath : program, ...words];
      const { PATH = '' } = process.env;
      const env = { PATH, ...image.environment, ...environment };
      return spawn(first, more, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    },
    remove() {
      execFileSync('chmod', ['-R', 'u+w', folder]);
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

const toPair = (pair: string) => ({ [pair.slice(0, pair.indexOf('='))]: pair.slice(pair.indexOf('=') + 1) });

/** Of the context only what .dockerignore lets through. */
function copy(rest: string, folder: string, context: readonly string[], stages: ReadonlyMap<string, string>): void {
  const [, stage, paths = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(rest) ?? [];
  const words = paths.split(' ');
  const to = words.pop() ?? '';
  for (const path of words) {
    const from = stage === undefined ? join(root, path) : join(stages.get(stage)!, path.replace(/^\/app\//, ''));
    if (stage === undefined && !context.includes(`!${path}`))
      throw new Error(`COPY ${path}: .dockerignore leaves it out.`);
    const target = to.endsWith('/') ? join(folder, path.split('/').at(-1)!) : join(folder, to);
    mkdirSync(dirname(target), { recursive: true });
    if (path.endsWith('node_modules')) execFileSync('cp', ['-al', from, target]);
    else cpSync(from, target, { recursive: true });
  }
}

/** Read-only but for its volume. The files themselves may be those of this checkout. */
function lock(folder: string): void {
  for (const path of ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]) {
    const whole = join(folder, path);
    if (path !== 'data' && lstatSync(whole).isDirectory()) chmodSync(whole, 0o555);
  }
}
