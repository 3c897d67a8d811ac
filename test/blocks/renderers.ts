import { type Node, NodeType, parse } from 'slack-message-parser';
import { escapeForSlackWithMarkdown } from 'slack-to-html';

/** What a reader sees of mrkdwn: its text, and everything that is not text. Code is text: nothing in it acts. */
export interface Seen {
  text: string;
  acts: string[];
}

/** Something that reads mrkdwn, made by others. */
export interface Renderer {
  name: string;
  see(mrkdwn: string): Seen;
}

const decoded = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

/** The HTML of slack-to-html. Every tag that it makes is one that acts, but for code. */
function seeHtml(mrkdwn: string): Seen {
  const acts: string[] = [];
  // Its own mistake: emoji are drawn in code too. Their names are put back.
  const html = escapeForSlackWithMarkdown(mrkdwn).replace(/<code>[\s\S]*?<\/code>/g, (code) =>
    code.replace(/<span title="([^"]*)"[^>]*>[^<]*<\/span>/g, '$1'),
  );
  const text = html
    .replace(/<span class="slack_code"><code>([\s\S]*?)<\/code><\/span>/g, '$1')
    .replace(/<[^>]*>/g, (tag) => {
      acts.push(tag);
      return '';
    });
  return { text: decoded(text), acts };
}

/** A space that is in no text here. */
const SPACE = '\u2005';

/** The tree of slack-message-parser. */
function seeTree(mrkdwn: string): Seen {
  const acts: string[] = [];
  const read = (node: Node): string => {
    if (node.type === NodeType.Text || node.type === NodeType.Code) return node.text;
    // Its own mistake: the middle of a time of day is no emoji, nor is a full stop.
    if (node.type === NodeType.Emoji && /^(?:\d+|[).,!?]+)$/.test(node.name)) return node.source;
    if (node.type === NodeType.Root) return node.children.map(read).join('');
    acts.push(`${NodeType[node.type]} ${node.source}`);
    return 'children' in node ? node.children.map(read).join('') : node.source;
  };
  // Its own mistake: it knows code only beside few signs, and not in `a`: or “`a`”.
  const apart = mrkdwn.replace(/`[^`\n]+`/g, (code, at: number) => {
    const [before = ' ', after = ' '] = [mrkdwn[at - 1], mrkdwn[at + code.length]];
    return `${/[\s.,([{!?\-=]/.test(before) ? '' : SPACE}${code}${/[\s.,\])}!?\-=]/.test(after) ? '' : SPACE}`;
  });
  return { text: decoded(read(parse(apart)).replaceAll(SPACE, '')), acts };
}

/** The judges. */
export const renderers: Renderer[] = [
  { name: 'slack-to-html', see: seeHtml },
  { name: 'slack-message-parser', see: seeTree },
];
