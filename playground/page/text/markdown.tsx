/** The standard Markdown of the `markdown` block: the part of it that Slack documents, drawn as DOM nodes. */
import type { ComponentChildren } from 'preact';
import { emojiOf } from './emoji.ts';
import { Emoji, Link } from './mrkdwn.tsx';

const patterns: [RegExp, (match: RegExpExecArray) => ComponentChildren][] = [
  [/^\\([\\`*_{}[\]()#+\-.!~|<>])/, (match) => match[1]],
  [/^(`+)([\s\S]*?[^`])\1(?!`)/, (match) => <code>{(match[2] ?? '').trim()}</code>],
  [
    /^!?\[([^\]]*)\]\(([^()\s]*(?:\([^()\s]*\))?[^()\s]*)(?:\s+"[^"]*")?\)/,
    (match) => <Link url={match[2] ?? ''}>{span(match[1] ?? '')}</Link>,
  ],
  [
    /^<((?:https?|mailto):[^<>\s]+)>/,
    (match) => <Link url={match[1] ?? ''}>{(match[1] ?? '').replace(/^mailto:/, '')}</Link>,
  ],
  [/^https?:\/\/[^\s<>)\]]*[^\s<>)\].,;:!?'"]/, (match) => <Link url={match[0]}>{match[0]}</Link>],
  [
    /^\*\*\*(?=\S)([\s\S]*?\S)\*\*\*/,
    (match) => (
      <strong>
        <em>{span(match[1] ?? '')}</em>
      </strong>
    ),
  ],
  [/^\*\*(?=\S)([\s\S]*?\S)\*\*(?!\*)/, (match) => <strong>{span(match[1] ?? '')}</strong>],
  [/^__(?=\S)([\s\S]*?\S)__(?!\w)/, (match) => <strong>{span(match[1] ?? '')}</strong>],
  [/^\*(?=[^\s*])([^*]*?[^\s*])\*(?!\*)/, (match) => <em>{span(match[1] ?? '')}</em>],
  [/^_(?=[^\s_])([^_]*?[^\s_])_(?!\w)/, (match) => <em>{span(match[1] ?? '')}</em>],
  [/^~~(?=\S)([\s\S]*?\S)~~/, (match) => <s>{span(match[1] ?? '')}</s>],
  [/^:([a-z0-9_+'-]+):/, (match) => (emojiOf(match[1] ?? '') ? <Emoji name={match[1] ?? ''} /> : match[0])],
];

function span(text: string): ComponentChildren[] {
  const nodes: ComponentChildren[] = [];
  let plain = '';
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    // An underscore inside a word is a letter: `error_count` stays as it is.
    const insideWord = rest[0] === '_' && /\w$/.test(plain);
    const found = insideWord ? undefined : firstMatch(rest);
    if (found) {
      if (plain) nodes.push(plain);
      plain = '';
      nodes.push(found.node);
      at += found.length;
    } else {
      plain += text[at];
      at++;
    }
  }
  if (plain) nodes.push(plain);
  return nodes;
}

function firstMatch(rest: string): { node: ComponentChildren; length: number } | undefined {
  if (!/^[\\`![<h*_~:]/.test(rest)) return undefined;
  for (const [pattern, draw] of patterns) {
    const match = pattern.exec(rest);
    if (match) return { node: draw(match), length: match[0].length };
  }
  return undefined;
}

const listItem = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const tableRow = (line: string) =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
const isTableRule = (line = '') => line.includes('-') && tableRow(line).every((cell) => /^:?-+:?$/.test(cell));

function Item({ text }: { text: string }) {
  const task = /^\[([ xX])\]\s+(.*)$/s.exec(text);
  if (!task) return <>{span(text)}</>;
  return (
    <>
      <input type="checkbox" disabled checked={task[1] !== ' '} aria-label={task[1] === ' ' ? 'open' : 'done'} />{' '}
      {span(task[2] ?? '')}
    </>
  );
}

/** Lines of one list, with what is indented below an item as that item's own list. */
function List({ lines }: { lines: string[] }) {
  const first = listItem.exec(lines[0] ?? '');
  const depth = (first?.[1] ?? '').length;
  const items: { text: string; below: string[] }[] = [];
  for (const line of lines) {
    const item = listItem.exec(line);
    if (item && (item[1] ?? '').length <= depth) items.push({ text: item[3] ?? '', below: [] });
    else items.at(-1)?.below.push(line);
  }
  const Tag = /\d/.test(first?.[2] ?? '') ? 'ol' : 'ul';
  const start = Tag === 'ol' ? { start: Number.parseInt(first?.[2] ?? '1', 10) } : {};
  return (
    <Tag {...start}>
      {items.map(({ text, below }) => (
        <li>
          <Item text={text} />
          {below.some((line) => listItem.test(line)) ? <List lines={below} /> : null}
        </li>
      ))}
    </Tag>
  );
}

function Table({ lines }: { lines: string[] }) {
  const [head = [], rule = [], ...rows] = lines.map(tableRow);
  const align = rule.map((cell) => (cell.endsWith(':') ? (cell.startsWith(':') ? 'center' : 'right') : 'left'));
  return (
    <div class="table-scroll">
      <table class="table">
        <thead>
          <tr>
            {head.map((cell, column) => (
              <th class={`align-${align[column] ?? 'left'}`}>{span(cell)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {head.map((_, column) => (
                <td class={`align-${align[column] ?? 'left'}`}>{span((row[column] ?? '').replaceAll('\\|', '|'))}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

// Below the page's own headings.
const headingTags = ['h3', 'h4', 'h5', 'h6', 'h6', 'h6'] as const;

/** Takes one block off the front of `lines` and says how many lines it took. */
function block(lines: string[]): { node: ComponentChildren; taken: number } {
  const line = lines[0] ?? '';
  const count = (belongs: (line: string, at: number) => boolean) => {
    const end = lines.findIndex((each, at) => !belongs(each, at));
    return end < 0 ? lines.length : end;
  };
  const fence = /^\s*(```+|~~~+)/.exec(line)?.[1];
  if (fence) {
    const end = lines.findIndex((each, at) => at > 0 && each.trim().startsWith(fence));
    const taken = end < 0 ? lines.length : end + 1;
    return { node: <pre>{lines.slice(1, end < 0 ? undefined : end).join('\n')}</pre>, taken };
  }
  const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
  if (heading) {
    const Tag = headingTags[(heading[1] ?? '#').length - 1] ?? 'h6';
    return { node: <Tag class="heading">{span(heading[2] ?? '')}</Tag>, taken: 1 };
  }
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) return { node: <hr />, taken: 1 };
  if (/^\s*>/.test(line)) {
    const taken = count((each) => /^\s*>/.test(each));
    return {
      node: <blockquote>{blocks(lines.slice(0, taken).map((each) => each.replace(/^\s*> ?/, '')))}</blockquote>,
      taken,
    };
  }
  if (listItem.test(line)) {
    const taken = count((each) => listItem.test(each) || /^\s{2,}\S/.test(each));
    return { node: <List lines={lines.slice(0, taken)} />, taken };
  }
  if (line.includes('|') && isTableRule(lines[1])) {
    const taken = count((each) => each.includes('|'));
    return { node: <Table lines={lines.slice(0, taken)} />, taken };
  }
  const taken = Math.max(
    1,
    count(
      (each, at) => each.trim() !== '' && (at === 0 || !(listItem.test(each) || /^(#{1,6}\s|\s*>|\s*```)/.test(each))),
    ),
  );
  return { node: <p class="lines">{span(lines.slice(0, taken).join('\n'))}</p>, taken };
}

function blocks(lines: string[]): ComponentChildren[] {
  const nodes: ComponentChildren[] = [];
  let rest = lines;
  while (rest.length > 0) {
    if ((rest[0] ?? '').trim() === '') {
      rest = rest.slice(1);
      continue;
    }
    const { node, taken } = block(rest);
    nodes.push(node);
    rest = rest.slice(taken);
  }
  return nodes;
}

/** A text in standard Markdown. */
export const Markdown = ({ text }: { text: string }) => <div class="markdown">{blocks(text.split('\n'))}</div>;
