import { describe, expect, it } from 'vitest';
import { suggestionsFor } from '../../../playground/page/suggestions.ts';
import type { UiState, UiUser } from '../../../playground/slack/ui-types.ts';

const person = (id: string, name: string, realName: string): UiUser => ({
  id,
  name,
  realName,
  role: 'member',
  teamId: 'T1',
  teamName: 'Shop',
  tz: 'UTC',
  isAway: false,
});

const state: UiState = {
  team: { id: 'T1', name: 'Shop' },
  user: person('U1', 'ada', 'Ada Ops'),
  users: [person('U1', 'ada', 'Ada Ops'), person('U2', 'ben', 'Ben Member'), person('U3', 'edgewise', 'Edgewise')],
  userGroups: [],
  channels: [
    { id: 'C1', name: 'ops', kind: 'channel', topic: 'Operating', botIsMember: true, isArchived: false, members: [] },
  ],
  bot: { userId: 'U3', name: 'edgewise', appId: 'A1' },
  commands: [{ command: '/edge', description: 'Operate the edge', usageHint: '<noun> <verb>' }],
  shortcuts: [],
  messages: {},
  views: [],
  home: null,
  at: '0',
};

const offer = (text: string, thread = false) => suggestionsFor({ text, caret: text.length, thread, state });

const words = (text: string) => offer(text)?.list.map((each) => each.words);

describe('what the composer suggests', () => {
  it('begins with the slash commands', () => {
    expect(words('/')).toEqual(['/edge']);
    expect(offer('/e')?.eager).toBe(true);
    expect(offer('/other')).toBeUndefined();
  });

  it('shows the usage hint behind the name, and completes nothing there, as Slack does not', () => {
    for (const line of ['/edge ', '/edge ssl', '/edge ssl force shop.example on'])
      expect(offer(line)).toMatchObject({
        list: [],
        usage: { line: '/edge <noun> <verb>', summary: 'Operate the edge' },
      });
    expect(offer('@edgewise ss')).toBeUndefined();
  });

  it('suggests people and channels', () => {
    expect(words('hello @be')).toEqual(['@ben']);
    expect(words('see #o')).toEqual(['#ops']);
    expect(words('mail@be')).toBeUndefined();
  });

  it('suggests no slash commands in a thread', () => {
    expect(offer('/edge ', true)).toBeUndefined();
  });
});
