import { describe, expect, it } from 'vitest';
import { commandHints, parseCommandTable } from '../../../playground/launcher/app-manifest.ts';

describe('the table of commands', () => {
  it('gives names, arguments and summaries', () => {
    const markdown = [
      '| Command | What it does |',
      '|---|---|',
      '| `/edge ssl force <hostname> <on\\|off> [--zone <zone>]` | Switch forced HTTPS on or off for a hostname |',
      '| `/edge can-i <command>` | Say whether you may |',
      '| `help` | List the commands |',
      'Text with `/edge nothing here` is no row.',
    ].join('\n');
    expect(parseCommandTable(markdown)).toEqual([
      {
        words: 'ssl force',
        usage: '<hostname> <on|off> [--zone <zone>]',
        summary: 'Switch forced HTTPS on or off for a hostname',
      },
      { words: 'can-i', usage: '<command>', summary: 'Say whether you may' },
      { words: 'help', usage: '', summary: 'List the commands' },
    ]);
  });

  it('of the documentation is what the composer suggests', () => {
    expect(commandHints().length).toBeGreaterThan(30);
    expect(commandHints()).toContainEqual({
      words: 'ssl force',
      usage: expect.stringContaining('<hostname> <on|off>'),
      summary: 'Switch forced HTTPS on or off for a hostname',
    });
  });
});
