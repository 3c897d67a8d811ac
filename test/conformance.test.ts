import { basename, dirname, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { validateView } from '../playground/slack/block-kit/validate.ts';
import { BUTTONS } from '../src/blocks/buttons.ts';
import { buildManifest, EVENTS, MANIFESTS, SCOPES } from '../src/manifest.ts';
import { operations } from '../src/operations/index.ts';
import type { AnyOperation } from '../src/operations/operation.ts';
import { buildForm } from '../src/slack/form.ts';
import { decisionsIn, namesIn } from './support/decisions.ts';
import { manifestSchema } from './support/manifest-schema.ts';
import { circlesIn, filesIn, importsOf, read } from './support/source.ts';

describe('the registry', () => {
  const named = filesIn('src/operations').filter((file) => /defineOperation\(\{/.test(read(file)));

  it('has every operation that a file defines, under the name that the file has', () => {
    const names = named.map((file) => /defineOperation\(\{\s*name: '([^']+)'/.exec(read(file))?.[1]);
    expect([...names].sort()).toEqual(operations.map((operation) => operation.name).sort());
    for (const [index, file] of named.entries()) {
      const path = relative('src/operations', file).replace(/\.ts$/, '').split('/').join(' ');
      expect(path, file).toBe(names[index]);
    }
  });

  it('has names and summaries as the design wants them', () => {
    for (const { name, summary } of operations) {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)*( [a-z]+)?$/);
      expect(summary, name).toMatch(/^[A-Z].*[^.]$/);
    }
    expect(new Set(operations.map(({ name }) => name)).size).toBe(operations.length);
  });

  it('previews every change', () => {
    for (const operation of operations)
      if (operation.effect !== 'read') expect(operation.preview, operation.name).toBeDefined();
  });

  it('asks the policy for all but what explains it, and remembers all but what is asked too often', () => {
    const having = (has: (operation: AnyOperation) => boolean) => operations.filter(has).map(({ name }) => name);
    expect(having(({ permission }) => permission !== undefined)).toEqual(['can-i', 'help']);
    expect(having(({ audited }) => audited !== undefined)).toEqual(['status', 'help']);
    expect(having(({ alsoTyped }) => alsoTyped !== undefined)).toEqual(['help']);
  });

  it('is all that decides by the name of an operation or the key of an argument', () => {
    const asking = filesIn('src').flatMap((file) => {
      const owned = named.some((one) => file === one || (one.split('/').length > 3 && file.startsWith(dirname(one))));
      return owned ? [] : decisionsIn(read(file), namesIn(operations)).map((line) => `${file} ${line}`);
    });
    expect(asking).toEqual([]);
  });

  it.each([
    "if (operation.name === 'ssl force') stop();",
    "switch (action) { case 'app delete': break; }",
    "const SPELLED = { 'can-i': 'Can I' };",
    "export const NEVER = new Set(['database query']);",
    "const NEVER = new Set(['help']); NEVER.has(command.name);",
    "if (['help', 'status'].includes(operation.name)) stop();",
    "const SPARED = ['force']; SPARED.includes(key);",
    "if (argument === 'zone') stop();",
    'const duration = resolved.values.for;',
    'const { for: _, ...rest } = given;',
    "confirmation.given['topic']",
  ])('knows for a decision by name: %s', (code) => {
    expect(decisionsIn(code, namesIn(operations))).toHaveLength(1);
  });
});

describe('the layers', () => {
  const LEVELS = [
    [
      'time.ts',
      'errors.ts',
      'own-name.ts',
      'interaction.ts',
      'nearest.ts',
      'retry.ts',
      'observe.ts',
      'pattern.ts',
      'secret.ts',
      'start-error.ts',
      'change.ts',
    ],
    ['network.ts', 'secret-shapes.ts'],
    ['blocks', 'logs', 'platform', 'policy', 'schedule', 'store'],
    ['changed.ts', 'tables'],
    ['reports'],
    ['operations'],
    ['jobs.ts', 'problem.ts'],
    ['changes', 'workers'],
    ['delivery', 'slack'],
    ['setting-checks.ts'],
    ['config.ts', 'health.ts', 'log.ts', 'manifest.ts', 'marks.ts', 'mcp.ts', 'start-up.ts'],
    ['metrics.ts'],
    ['stop.ts'],
    ['app.ts'],
    ['index.ts', 'commands'],
  ];
  const levelOf = (room: string) => LEVELS.findIndex((level) => level.includes(room));
  /** A leaf of its own: the store keeps to the states of a change. */
  const LEAVES = ['src/changes/change.ts'];
  const roomOf = (file: string) =>
    LEAVES.includes(file) ? basename(file) : (relative('src', file).split('/')[0] ?? '');
  const imports = filesIn('src').flatMap(importsOf);

  it('import only downwards, and never sideways, types neither', () => {
    const wrong = imports.filter(({ from, to }) => {
      const [source, target] = [roomOf(from), roomOf(to)];
      if (source === target) return false;
      if (levelOf(source) === -1 || levelOf(target) === -1) return true;
      return levelOf(target) >= levelOf(source);
    });
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('have no two files that import each other, by whatever way, types too', () => {
    expect(circlesIn(imports).map((files) => files.join(' → '))).toEqual([]);
  });

  it('nothing in the bot imports the playground, and the playground imports nothing of the bot', () => {
    const crossing = [...imports, ...filesIn('playground').flatMap(importsOf)].filter(
      ({ from, to }) => from.split('/')[0] !== to.split('/')[0],
    );
    expect(crossing.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('only slack/ imports Bolt, only index.ts and commands/ read the environment or end the process', () => {
    expect(
      filesIn('src').filter(
        (file) => /'@slack\/(bolt|web-api|socket-mode)'/.test(read(file)) && roomOf(file) !== 'slack',
      ),
    ).toEqual([]);
    expect(
      filesIn('src').filter(
        (file) => /process\.(env|exit)\b/.test(read(file)) && !['index.ts', 'commands'].includes(roomOf(file)),
      ),
    ).toEqual([]);
  });
});

describe('messages for one person', () => {
  it('are an answer by `tell`, where somebody has just done something, or direct messages: others may never be seen', () => {
    const ways = /\.(toPerson|postEphemeral)\(/;
    const using = filesIn('src').filter((file) => !file.startsWith('src/commands/') && ways.test(read(file)));
    expect(using).toEqual(['src/slack/conversation.ts', 'src/slack/out/outgoing.ts']);
    const unasked = ['src/slack/recover.ts', 'src/slack/departures.ts', 'src/slack/out/posts.ts'];
    expect(unasked.filter((file) => /\btell\(services, origin/.test(read(file)))).toEqual([]);
  });
});

describe('buttons', () => {
  const OWN = 'src/blocks/buttons.ts';
  const linesWith = (finds: (line: string) => boolean, ...except: string[]) =>
    filesIn('src')
      .filter((file) => file !== OWN && !except.includes(file))
      .flatMap((file) =>
        read(file)
          .split('\n')
          .flatMap((line, at) => (!/^\s*(\/?\*|\/\/)/.test(line) && finds(line) ? [`${file}:${at + 1}`] : [])),
      );

  it('are built in one file, with an id that it declares', () => {
    expect(linesWith((line) => line.includes("type: 'button'"))).toEqual([]);
    // The inputs of forms have ids too.
    expect(linesWith((line) => /action_id:? ?['"`]/.test(line), 'src/slack/form.ts')).toEqual([]);
  });

  it('have the label that the one table declares, and nothing else writes it', () => {
    const labels = new Set<string>(Object.values(BUTTONS).map(({ label }) => label));
    // The columns of tables have labels of their own.
    const quoted = (line: string) =>
      [...line.matchAll(/(?<!label: |right\()['"`]([^'"`]+)['"`]/g)].map(([, text = '']) => text);
    expect(linesWith((line) => quoted(line).some((text) => labels.has(text)))).toEqual([]);
  });
});

describe('the states of a change', () => {
  /** Files that read or write the two tables whose rows have such a state. */
  const files = filesIn('src').filter((file) => /\b(UPDATE|INTO|FROM) (confirmations|reversals)\b/.test(read(file)));

  it('are moved only by the transitions of changes/change.ts, in statements that one function builds', () => {
    const builder = 'src/store/moves.ts';
    const byHand = files.flatMap((file) =>
      [...read(file).matchAll(/^.*\bstate\s*(=|<>|!=|(NOT )?IN)\s*\(?\s*'.*$/gim)].map(
        ([line]) => `${file}: ${line.trim()}`,
      ),
    );
    expect(byHand).toEqual([]);
    const setting = [builder, ...files].filter((file) => /SET state\b|state = :state/i.test(read(file)));
    expect(setting).toEqual([builder]);
  });
});

describe('forms', () => {
  it('of every operation are within Slack’s limits, empty and full', () => {
    for (const operation of operations) {
      const long = 'x'.repeat(5000);
      const full = Object.fromEntries(Object.keys(operation.args).map((key) => [key, long]));
      for (const given of [{}, full]) {
        const view = buildForm(operation, given, { channel: 'C1', responseUrl: `https://hooks.slack.com/${long}` });
        expect(validateView(view, 'modal'), operation.name).toEqual([]);
      }
    }
  });
});

describe('the manifests', () => {
  const WRITTEN_BY = 'mend it with `npm run test:run -- test/conformance.test.ts -u`';

  it.each(['socket', 'http'] as const)('are what the code says: %s', async (mode) => {
    const wanted = `# Written by \`npm run test:run -- -u\` from src/manifest.ts. Paste it at api.slack.com/apps → From a manifest.\n${stringify(buildManifest(mode), { lineWidth: 0 })}`;
    await expect(wanted).toMatchFileSnapshot(`../${MANIFESTS[mode]}`, WRITTEN_BY);
  });

  it('are manifests that Slack would take', () => {
    for (const file of Object.values(MANIFESTS))
      expect(manifestSchema.safeParse(parse(read(file))).error, file).toBeUndefined();
    expect(manifestSchema.safeParse({ ...buildManifest('socket'), unknown: 1 }).success).toBe(false);
  });

  it('differ in how Slack reaches the bot, and in nothing else', () => {
    const linesOf = (file: string) => read(file).split('\n');
    const [socket, http] = [linesOf(MANIFESTS.socket), linesOf(MANIFESTS.http)];
    expect(socket.filter((line) => !http.includes(line))).toEqual(['  socket_mode_enabled: true']);
    const added = http.filter((line) => !socket.includes(line)).map((line) => line.trim());
    expect(added.sort()).toEqual([
      'message_menu_options_url: https://your.host/slack/events',
      'request_url: https://your.host/slack/events',
      'request_url: https://your.host/slack/events',
      'socket_mode_enabled: false',
      'url: https://your.host/slack/events',
    ]);
  });

  it('asks for the scopes that the code uses, and for no other', () => {
    const slack = filesIn('src/slack').map(read).join('\n');
    const used = new Set(
      [...slack.matchAll(/\b(?:interactive|background|client|options\.client)\.([a-z]+(?:\.[a-zA-Z]+)+)\(/g)].map(
        (found) => found[1]!,
      ),
    );
    if (/filesUploadV2\(/.test(slack))
      for (const method of ['files.getUploadURLExternal', 'files.completeUploadExternal']) used.add(method);
    // These need no scope of their own, or are called with the app-level token.
    for (const free of ['auth.test', 'apps.connections.open', 'views.open', 'views.update', 'views.publish'])
      used.delete(free);
    const granted = new Set(
      Object.values(SCOPES)
        .flatMap(({ calls }) => calls)
        .filter((use) => use.includes('.') && !EVENTS.includes(use as never)),
    );
    expect([...used].sort()).toEqual([...granted].sort());
    for (const event of EVENTS) {
      const [name] = event.split('.');
      expect(slack, `${event} is listened to`).toContain(name === 'message' ? "came.type === 'message'" : `'${event}'`);
    }
  });
});
