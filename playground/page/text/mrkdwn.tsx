/** Slack's mrkdwn, drawn as DOM nodes: nothing that a message says can become markup of the page. */
import type { ComponentChildren } from 'preact';
import { type Directory, useDirectory } from '../directory.ts';
import { formatDate } from './dates.ts';
import { emojiOf } from './emoji.ts';

/** Undoes the three entities that Slack's text knows; `&amp;` last, so that `&amp;lt;` stays `&lt;`. */
const unescaped = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** An address that may stand in a link: http, https, mailto or tel, nothing that could run. */
export function safeUrl(url: string): string | undefined {
  return URL.canParse(url) && ['http:', 'https:', 'mailto:', 'tel:'].includes(new URL(url).protocol) ? url : undefined;
}

/** A link; an address that is none is drawn as text. */
export function Link({ url, children }: { url: string; children: ComponentChildren }) {
  const href = safeUrl(url);
  if (!href) return <>{children}</>;
  return (
    <a class="link" href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** An emoji by its short code. */
export function Emoji({ name, unicode }: { name: string; unicode?: string | undefined }) {
  const character =
    emojiOf(name) ??
    (unicode ? String.fromCodePoint(...unicode.split('-').map((hex) => Number.parseInt(hex, 16))) : undefined);
  if (!character) return <>{`:${name}:`}</>;
  return (
    <span class="emoji" role="img" aria-label={name.replaceAll('_', ' ')} title={`:${name}:`}>
      {character}
    </span>
  );
}

/** A person who is mentioned. */
export function UserMention({ id, label }: { id: string; label?: string | undefined }) {
  const { users, me } = useDirectory();
  return <span class={id === me.id ? 'mention mention-me' : 'mention'}>@{label ?? users.get(id)?.name ?? id}</span>;
}

/** A channel that is mentioned. */
export function ChannelMention({ id, label }: { id: string; label?: string | undefined }) {
  const { channels, openChannel } = useDirectory();
  const channel = channels.get(id);
  if (!channel) return <span class="mention">#{label ?? id}</span>;
  return (
    <button type="button" class="mention" onClick={() => openChannel(id)}>
      #{channel.name}
    </button>
  );
}

/** A user group that is mentioned. */
export function GroupMention({ id, label }: { id: string; label?: string | undefined }) {
  return <span class="mention">{label ?? `@${useDirectory().groups.get(id)?.handle ?? id}`}</span>;
}

/** Text with its emoji short codes drawn and nothing else: what a `plain_text` object is. */
export function PlainText({ text, emoji = true }: { text: string; emoji?: boolean | undefined }) {
  return <>{emoji ? withEmoji(text) : text}</>;
}

function withEmoji(text: string): ComponentChildren[] {
  return text
    .split(/(:[a-z0-9_+'-]+:)/)
    .map((piece, at) => (at % 2 === 1 && emojiOf(piece.slice(1, -1)) ? <Emoji name={piece.slice(1, -1)} /> : piece));
}

function entity(inside: string, directory: Directory): ComponentChildren {
  const bar = inside.indexOf('|');
  const target = bar < 0 ? inside : inside.slice(0, bar);
  const label = bar < 0 ? undefined : unescaped(inside.slice(bar + 1));
  if (/^@[UWB]/.test(target)) return <UserMention id={target.slice(1)} label={undefined} />;
  if (/^#[CGD]/.test(target)) return <ChannelMention id={target.slice(1)} label={label} />;
  if (target.startsWith('!subteam^')) return <GroupMention id={target.slice(9)} label={label} />;
  if (/^!(here|channel|everyone)$/.test(target)) return <span class="mention mention-me">@{target.slice(1)}</span>;
  if (target.startsWith('!date^')) {
    const [, seconds = '', format = '', url] = target.split('^');
    const words = /^\d+$/.test(seconds)
      ? formatDate(Number(seconds), unescaped(format), directory.me.tz)
      : (label ?? target);
    return url ? <Link url={unescaped(url)}>{words}</Link> : <time title={label}>{words}</time>;
  }
  if (safeUrl(unescaped(target)))
    return (
      <Link url={unescaped(target)}>
        {label === undefined ? unescaped(target).replace(/^mailto:/, '') : withEmoji(label)}
      </Link>
    );
  return `<${unescaped(inside)}>`;
}

const marks = { '*': 'strong', _: 'em', '~': 's' } as const;
const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}]/u.test(character);

/** Where the mark that opens at `start` closes, on the same line and not inside `<…>` or a code span; -1 if nowhere. */
function closingMark(text: string, start: number): number {
  const mark = text[start];
  for (let at = start + 1; at < text.length && text[at] !== '\n'; at++) {
    if (text[at] === '<' || text[at] === '`') {
      const end = text.indexOf(text[at] === '<' ? '>' : '`', at + 1);
      if (end > 0) at = end;
    } else if (text[at] === mark && at > start + 1 && !/\s/.test(text[at - 1] ?? ' ') && !isWord(text[at + 1]))
      return at;
  }
  return -1;
}

/** One stretch of text: entities, `code`, *bold*, _italic_, ~strike~ and emoji, nested as Slack nests them. */
function inline(text: string, directory: Directory): ComponentChildren[] {
  const nodes: ComponentChildren[] = [];
  let plain = '';
  const flush = () => {
    if (plain) nodes.push(unescaped(plain));
    plain = '';
  };
  for (let at = 0; at < text.length; ) {
    const found = markedAt(text, at, directory);
    if (found) {
      flush();
      nodes.push(found.node);
    } else plain += text[at];
    at += found?.length ?? 1;
  }
  flush();
  return nodes;
}

/** What is more than plain text, where it begins. */
function markedAt(
  text: string,
  at: number,
  directory: Directory,
): { node: ComponentChildren; length: number } | undefined {
  const rest = text.slice(at);
  const code = /^`([^`\n]+)`/.exec(rest);
  if (code) return { node: <code>{inlineCode(code[1] ?? '')}</code>, length: code[0].length };
  const angle = /^<([^<>\n]+)>/.exec(rest);
  if (angle) return { node: entity(angle[1] ?? '', directory), length: angle[0].length };
  const colon = /^:([a-z0-9_+'-]+):/.exec(rest);
  if (colon && emojiOf(colon[1] ?? '')) return { node: <Emoji name={colon[1] ?? ''} />, length: colon[0].length };
  const Mark = marks[rest.charAt(0) as keyof typeof marks];
  const isOpen = Mark !== undefined && !isWord(text[at - 1]) && !/\s/.test(text[at + 1] ?? ' ');
  const end = isOpen ? closingMark(text, at) : -1;
  if (end <= 0) return undefined;
  return { node: <Mark>{inline(text.slice(at + 1, end), directory)}</Mark>, length: end + 1 - at };
}

/** In code only links are undone: `<https://x|label>` shows its label. */
const inlineCode = (text: string) =>
  unescaped(text.replace(/<((?:https?|mailto):[^<>|\n]+)(?:\|([^<>\n]*))?>/g, (_, url, label) => label ?? url));

/** Lines that begin with a bullet sign hang under it; other lines stay as they are. */
function paragraph(lines: string[], directory: Directory): ComponentChildren {
  return lines.map((line, index) => {
    const bullet = /^(\s*)([•◦▪]|\d{1,2}\.)\s+(.*)$/.exec(line);
    if (bullet)
      return (
        <span class={bullet[1] ? 'bullet bullet-deep' : 'bullet'}>
          <span class="bullet-sign">{bullet[2]}</span>
          <span>{inline(bullet[3] ?? '', directory)}</span>
        </span>
      );
    const last = index === lines.length - 1 || /^\s*([•◦▪]|\d{1,2}\.)\s/.test(lines[index + 1] ?? '');
    return (
      <>
        {inline(line, directory)}
        {last ? null : '\n'}
      </>
    );
  });
}

function flow(text: string, directory: Directory): ComponentChildren[] {
  const nodes: ComponentChildren[] = [];
  let lines: string[] = [];
  let quoted: string[] = [];
  const flush = () => {
    if (quoted.length) nodes.push(<blockquote>{paragraph(quoted, directory)}</blockquote>);
    if (lines.length) nodes.push(<span class="lines">{paragraph(lines, directory)}</span>);
    lines = [];
    quoted = [];
  };
  const all = text.split('\n');
  for (const [index, line] of all.entries()) {
    const rest = /^(?:>>>|&gt;&gt;&gt;) ?(.*)$/.exec(line);
    if (rest) {
      flush();
      quoted = [rest[1] ?? '', ...all.slice(index + 1)];
      break;
    }
    const quote = /^(?:>|&gt;) ?(.*)$/.exec(line);
    if (quote ? lines.length : quoted.length) flush();
    if (quote) quoted.push(quote[1] ?? '');
    else lines.push(line);
  }
  flush();
  return nodes;
}

/** A `mrkdwn` text object, or the text of a message. */
export function Mrkdwn({ text }: { text: string }) {
  const directory = useDirectory();
  const pieces = text.split(/```\n?([\s\S]*?)\n?```/);
  return (
    <>
      {pieces.map((piece, at) => {
        if (at % 2 === 1) return <pre>{inlineCode(piece)}</pre>;
        const trimmed = piece
          .replace(at > 0 ? /^\n/ : /^(?!)/, '')
          .replace(at < pieces.length - 1 ? /\n$/ : /(?!)$/, '');
        return trimmed ? flow(trimmed, directory) : null;
      })}
    </>
  );
}
