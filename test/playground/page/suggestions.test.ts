import { describe, expect, it } from 'vitest';
import { hintsOf, suggestionsFor } from '../../../playground/page/suggestions.ts';
import type { UiState, UiUser } from '../../../playground/slack/ui-types.ts';

const person = (id: string, name: string, realName: string): UiUser => ({
  id,
  name,
  realName,
  role: 'member',
  teamId: 'T1',
  teamName: 'Shop',
  tz: 'UTC',
});

const state: UiState = {
  team: { id: 'T1', name: 'Shop' },
  user: person('U1', 'ada', 'Ada Ops'),
  users: [person('U1', 'ada', 'Ada Ops'), person('U2', 'ben', 'Ben Member'), person('U3', 'edgewise', 'Edgewise')],
  userGroups: [],
  channels: [{ id: 'C1', name: 'ops', kind: 'channel', topic: 'Operating', botIsMember: true, members: [] }],
  bot: { userId: 'U3', name: 'edgewise', appId: 'A1' },
  commands: [{ command: '/edge', description: 'Operate the edge', usageHint: '<noun> <verb>' }],
  shortcuts: [],
  messages: {},
  views: [],
  home: null,
};

const hints = {
  commands: [
    { words: 'ssl force', usage: '<hostname> <on|off>', summary: 'Switch forced HTTPS' },
    { words: 'stats show', usage: '[zone]', summary: 'Show statistics' },
    { words: 'status', usage: '', summary: 'Show how the bot is' },
  ],
  tries: [],
};

const offer = (text: string, thread = false) => suggestionsFor({ text, caret: text.length, thread, state, hints });

const words = (text: string) => offer(text)?.list.map((each) => each.words);

describe('what the composer suggests', () => {
  it('begins with the slash commands', () => {
    expect(words('/')).toEqual(['/edge']);
    expect(offer('/e')?.eager).toBe(true);
    expect(offer('/other')).toBeUndefined();
  });

  it('goes on with nouns and verbs, and takes none of them by itself', () => {
    expect(words('/edge ')).toEqual(['ssl force', 'stats show', 'status']);
    expect(words('/edge sta')).toEqual(['stats show', 'status']);
    expect(words('/edge STATS ')).toEqual(['stats show']);
    expect(offer('/edge sta')?.eager).toBe(false);
  });

  it('finds a command by a word in its middle or in its summary', () => {
    expect(words('/edge force')).toEqual(['ssl force']);
    expect(words('/edge https')).toEqual(['ssl force']);
  });

  it('shows the arguments of the command that is typed', () => {
    expect(offer('/edge ssl force shop.example')?.usage).toEqual({
      line: '/edge ssl force <hostname> <on|off>',
      summary: 'Switch forced HTTPS',
    });
  });

  it('replaces what was typed of the command', () => {
    expect(offer('/edge sta')?.list[0]).toMatchObject({ insert: 'stats show ', from: 6, to: 9 });
  });

  it('suggests the same words after a mention of the bot, in threads too', () => {
    expect(offer('@edgewise ss', true)?.list.map((each) => each.words)).toEqual(['ssl force']);
  });

  it('suggests people and channels', () => {
    expect(words('hello @be')).toEqual(['@ben']);
    expect(words('see #o')).toEqual(['#ops']);
    expect(words('mail@be')).toBeUndefined();
  });

  it('suggests no slash commands in a thread', () => {
    expect(offer('/edge ', true)).toBeUndefined();
  });

  it('reads the words of a usage hint', () => {
    expect(hintsOf('help | zone list | ssl force <hostname> <on|off>')).toEqual([
      { words: 'help', usage: '', summary: '' },
      { words: 'zone list', usage: '', summary: '' },
      { words: 'ssl force', usage: '<hostname> <on|off>', summary: '' },
    ]);
  });
});
