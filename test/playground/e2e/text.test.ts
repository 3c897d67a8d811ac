import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPage } from '../../../playground/launcher/page-server.ts';
import { type SlackEmulator, startSlackEmulator } from '../../../playground/slack/emulator.ts';
import type { UiBlock, UiMessage, UiState } from '../../../playground/slack/ui-types.ts';
import { describeInBrowser, openBrowser, openPage, type PersonAtPage } from './browser.ts';

/** What stands in a message, and the marks it is drawn with: tags, without their attributes, and words. */
const mrkdwn: [string, string][] = [
  ['plain words', 'plain words'],
  ['*bold* _italic_ ~struck~ `code`', '<b>bold</b> <i>italic</i> <s>struck</s> <code>code</code>'],
  ['*bold _and italic_*', '<b>bold <i>and italic</i></b>'],
  ['snake_case_name 2*3*4 a~b~c', 'snake_case_name 2*3*4 a~b~c'],
  ['(`*plain*`), `:smile:` *bold*', '(<code>*plain*</code>), <code>:smile:</code> <b>bold</b>'],
  ['* not bold * and ** neither', '* not bold * and ** neither'],
  ['(*in brackets*), *two* *words*', '(<b>in brackets</b>), <b>two</b> <b>words</b>'],
  ['*over\ntwo lines*', '*over\ntwo lines*'],
  ['`*no* _marks_ in code`', '<code>*no* _marks_ in code</code>'],
  ['&lt;b&gt; &amp;lt; &amp;amp;', '&lt;b&gt; &amp;lt; &amp;amp;'],
  ['<https://edge.example/a?b=1&amp;c=2|a *link*>', '<a>a *link*</a>'],
  ['<https://edge.example>', '<a>https://edge.example</a>'],
  ['<mailto:ada@shop.example|ada@shop.example>', '<a>ada@shop.example</a>'],
  ['<javascript:alert(1)|press me>', '&lt;javascript:alert(1)|press me&gt;'],
  ['<data:text/html,hi|here>', '&lt;data:text/html,hi|here&gt;'],
  ['<@U0BEN000002> in <#C0OPS000001|ops>', '<span>@ben</span> in <button>#ops</button>'],
  ['<!here> <!subteam^S0ONCALL001>', '<span>@here</span> <span>@oncall</span>'],
  ['<!date^1792000000^{date_num} {time}|then>', '<time>2026-10-14 7:46 PM</time>'],
  ['<!date^soon^{date}|then>', '<time>then</time>'],
  [':white_check_mark: :nothing_like_it: 10:30:45', '<span>✅</span> :nothing_like_it: 10:30:45'],
  ['&gt; quoted\n&gt; twice\nnot', '<blockquote>quoted\ntwice</blockquote>not'],
  ['&gt;&gt;&gt;all\nof it', '<blockquote>all\nof it</blockquote>'],
  ['before\n```\nlet a = *b*;\n```\nafter', 'before<pre>let a = *b*;</pre>after'],
];

const markdown: [string, string][] = [
  ['**bold** *italic* ~~struck~~ `a_b`', '<b>bold</b> <i>italic</i> <s>struck</s> <code>a_b</code>'],
  ['error_count and __init__', 'error_count and <b>init</b>'],
  ['# Title', '<h3>Title</h3>'],
  ['[a link](https://edge.example) [b](javascript:alert(1))', '<a>a link</a> b'],
  ['- one\n- two\n  1. inner', '<ul><li>one</li><li>two<ol><li>inner</li></ol></li></ul>'],
  ['> quoted', '<blockquote>quoted</blockquote>'],
  ['```js\nif (a < b) {}\n```', '<pre>if (a &lt; b) {}</pre>'],
  ['<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
  ['\\*not\\*', '*not*'],
];

/** Reads every message: tags that mean something, by one name each. */
const read = `[...document.querySelectorAll('section.channel article.message')].map((message) => {
  const names = { STRONG: 'b', EM: 'i', S: 's', CODE: 'code', A: 'a', PRE: 'pre', BLOCKQUOTE: 'blockquote', BUTTON: 'button', TIME: 'time', UL: 'ul', OL: 'ol', LI: 'li', H3: 'h3' };
  const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const draw = (node) => {
    if (node.nodeType === 3) return escape(node.data);
    const inside = [...node.childNodes].map(draw).join('');
    const name = names[node.tagName] ?? (/mention|emoji/.test(node.className) ? 'span' : '');
    return name ? '<' + name + '>' + inside + '</' + name + '>' : inside;
  };
  return draw(message.querySelector('.text'));
})`;

describeInBrowser('text', () => {
  let browser: Browser;
  let slack: SlackEmulator;
  let ada: PersonAtPage;

  beforeAll(async () => {
    const page = await createPage(() => ({ commands: [], tries: [] }));
    [browser, slack] = await Promise.all([openBrowser(), startSlackEmulator({ page })]);
    ada = await openPage(browser, { url: slack.url });
  });

  afterAll(async () => {
    await browser.close();
    await slack.close();
  });

  /** Shows messages that nobody posted. */
  async function show(contents: { text: string; blocks: UiBlock[] }[]): Promise<void> {
    await ada.page.unrouteAll();
    await ada.page.route('**/ui/state?*', async (route) => {
      const state = (await (await route.fetch()).json()) as UiState;
      state.messages.C0OPS000001 = contents.map(
        (content, at): UiMessage => ({
          ...content,
          channel: 'C0OPS000001',
          ts: `${1_792_000_000 + at * 1000}.000100`,
          user: 'U0EDGEWISE1',
          files: [],
          ephemeral: false,
          edited: false,
          broadcast: false,
          replies: 0,
          reactions: [],
          values: {},
        }),
      );
      await route.fulfill({ json: state });
    });
    await ada.page.reload();
    await ada.page
      .locator('article.message')
      .nth(contents.length - 1)
      .waitFor();
  }

  it('is drawn as mrkdwn in messages', async () => {
    await show(mrkdwn.map(([text]) => ({ text, blocks: [] })));
    expect(await ada.page.evaluate(read)).toEqual(mrkdwn.map(([, drawn]) => drawn));
    expect(ada.problems).toEqual([]);
  });

  it('is drawn as standard Markdown in markdown blocks', async () => {
    await show(markdown.map(([text], at) => ({ text: '', blocks: [{ type: 'markdown', block_id: `b${at}`, text }] })));
    expect(await ada.page.evaluate(read)).toEqual(markdown.map(([, drawn]) => drawn));
    expect(ada.problems).toEqual([]);
  });
});
