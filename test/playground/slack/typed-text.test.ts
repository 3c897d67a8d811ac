import { expect, test } from 'vitest';
import { readTypedText } from '../../../playground/slack/typed-text.ts';
import { createWorkspace } from '../../../playground/slack/workspace.ts';

const workspace = createWorkspace();

test.each([
  ['zone show cdn.example.com', 'zone show <http://cdn.example.com|cdn.example.com>'],
  ['certificate request *.example.com', 'certificate request *.<http://example.com|example.com>'],
  ['münchen.example, please.', '<http://münchen.example|münchen.example>, please.'],
  ['cdn.example.com/a?b=1&c=2', '<http://cdn.example.com/a?b=1&amp;c=2|cdn.example.com/a?b=1&amp;c=2>'],
  ['see https://example.com/x.', 'see <https://example.com/x>.'],
  ['mail a.b@example.com', 'mail <mailto:a.b@example.com|a.b@example.com>'],
  ['spec.json and 1.2.3.4 and v1.5', 'spec.json and 1.2.3.4 and v1.5'],
  ['select 1 < 2 & 3 > 2', 'select 1 &lt; 2 &amp; 3 &gt; 2'],
  ['@edgewise ask @oncall in #ops, @here', '<@U0EDGEWISE1> ask <!subteam^S0ONCALL001> in <#C0OPS000001|ops>, <!here>'],
  ['@nobody in #nowhere', '@nobody in #nowhere'],
  ['`cdn.example.com` is code', '`cdn.example.com` is code'],
])('%s', (typed, stored) => {
  expect(readTypedText(typed, workspace).text).toBe(stored);
});

test('the rich text elements say the same', () => {
  expect(readTypedText('@edgewise show cdn.example.com', workspace).elements).toEqual([
    { type: 'user', user_id: 'U0EDGEWISE1' },
    { type: 'text', text: ' show ' },
    { type: 'link', url: 'http://cdn.example.com', text: 'cdn.example.com' },
  ]);
});
