import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { FlagError, parseFlags, usage } from '../../../playground/launcher/flags.ts';

const file = fileURLToPath(import.meta.url);

describe('the flags of the playground', () => {
  it('are all optional', () => {
    expect(parseFlags([])).toEqual({
      specOnly: false,
      accessLog: undefined,
      faults: [],
      slackFaults: [],
      socket: false,
      troubles: {},
      plainBlocks: false,
      grid: undefined,
      port: undefined,
      seed: 1,
      folder: undefined,
      policy: undefined,
      demo: true,
      help: false,
    });
  });

  it('are taken together', () => {
    const args = `--spec-only --socket --grid org --plain-blocks --second-bot staging --origin-down shop --traffic-gone images --port 0 --seed 7 --data here --policy ${file} --empty --access-log ${file} --access-log-zone shop --fault html --fault slow=2000 --slack-fault any=503`;
    expect(parseFlags(args.split(' '))).toEqual({
      specOnly: true,
      accessLog: { file, zone: 'shop' },
      faults: ['html', 'slow=2000'],
      slackFaults: ['any=503'],
      socket: true,
      troubles: { 'origin-down': 'shop', 'traffic-gone': 'images' },
      plainBlocks: true,
      secondBot: 'staging',
      grid: 'org',
      port: 0,
      seed: 7,
      folder: 'here',
      policy: file,
      demo: false,
      help: false,
    });
  });

  it.each([
    ['--prot 4400', "Unknown option '--prot'"],
    ['--port http', '--port is a whole number up to 65535, not http'],
    ['--port 70000', '--port is a whole number up to 65535, not 70000'],
    ['--grid team', '--grid is workspace or org, not team'],
    ['--seed 1.5', '--seed is a whole number up to 2147483647, not 1.5'],
    ['--policy nowhere.yml', '--policy: there is no file nowhere.yml'],
    ['--access-log /nowhere.log', '--access-log: there is no file /nowhere.log'],
    ['--access-log-zone shop', '--access-log-zone needs --access-log FILE'],
    ['shop', "Unexpected argument 'shop'"],
  ])('%s is refused in one line', (line, message) => {
    const parse = () => parseFlags(line.split(' '));
    expect(parse).toThrow(FlagError);
    expect(parse).toThrow(message);
  });

  it('are all in the help text', () => {
    for (const flag of [
      'port',
      'data',
      'seed',
      'spec-only',
      'access-log',
      'access-log-zone',
      'fault',
      'socket',
      'plain-blocks',
      'origin-down',
      'help',
    ])
      expect(usage).toContain(`--${flag}`);
  });
});
