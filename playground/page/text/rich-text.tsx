/** The `rich_text` block and its parts. */
import type { RichTextBlock, RichTextElement, RichTextList } from '@slack/types';
import type { ComponentChildren } from 'preact';
import { useDirectory } from '../directory.ts';
import { formatDate } from './dates.ts';
import { ChannelMention, Emoji, GroupMention, Link, UserMention } from './mrkdwn.tsx';

interface Style {
  bold?: boolean;
  italic?: boolean;
  strike?: boolean;
  code?: boolean;
}

function styled(style: Style | undefined, content: ComponentChildren): ComponentChildren {
  let node = content;
  if (style?.code) node = <code>{node}</code>;
  if (style?.strike) node = <s>{node}</s>;
  if (style?.italic) node = <em>{node}</em>;
  if (style?.bold) node = <strong>{node}</strong>;
  return node;
}

function Part({ part }: { part: RichTextElement }) {
  const { me } = useDirectory();
  switch (part.type) {
    case 'text':
      return <>{styled(part.style, part.text)}</>;
    case 'link':
      return <>{styled(part.style, <Link url={part.url}>{part.text ?? part.url}</Link>)}</>;
    case 'emoji':
      return <Emoji name={part.name} unicode={part.unicode} />;
    case 'user':
      return <>{styled(part.style, <UserMention id={part.user_id} />)}</>;
    case 'channel':
      return <>{styled(part.style, <ChannelMention id={part.channel_id} />)}</>;
    case 'usergroup':
      return <GroupMention id={part.usergroup_id} />;
    case 'broadcast':
      return <span class="mention mention-me">@{part.range}</span>;
    case 'date':
      return <time title={part.fallback}>{formatDate(part.timestamp, part.format, me.tz)}</time>;
    case 'color':
      return (
        <span class="colour">
          <span class="colour-chip" style={{ background: part.value }} />
          {part.value}
        </span>
      );
    default:
      return null;
  }
}

const Parts = ({ parts }: { parts: RichTextElement[] }) => (
  <>
    {parts.map((part) => (
      <Part part={part} />
    ))}
  </>
);

/** Neighbouring lists are one list to the reader: an indented one continues inside the one before. */
function List({ list }: { list: RichTextList }) {
  const Tag = list.style === 'ordered' ? 'ol' : 'ul';
  return (
    <Tag class={`rich-list indent-${Math.min(list.indent ?? 0, 5)}`}>
      {list.elements.map((item) => (
        <li>
          <Parts parts={item.elements} />
        </li>
      ))}
    </Tag>
  );
}

/** A `rich_text` block. */
export function RichText({ block }: { block: Pick<RichTextBlock, 'elements'> }) {
  return (
    <div class="rich-text">
      {block.elements.map((element) => {
        switch (element.type) {
          case 'rich_text_section':
            return (
              <div class="lines">
                <Parts parts={element.elements} />
              </div>
            );
          case 'rich_text_list':
            return <List list={element} />;
          case 'rich_text_quote':
            return (
              <blockquote class="lines">
                <Parts parts={element.elements} />
              </blockquote>
            );
          case 'rich_text_preformatted':
            return (
              <pre>
                <Parts parts={element.elements} />
              </pre>
            );
          default:
            return null;
        }
      })}
    </div>
  );
}

/** The words of a rich text cell, to sort by. */
export function plainTextOf(block: Pick<RichTextBlock, 'elements'>): string {
  const words = (part: RichTextElement) =>
    part.type === 'text'
      ? part.text
      : part.type === 'link'
        ? (part.text ?? part.url)
        : part.type === 'emoji'
          ? `:${part.name}:`
          : '';
  return block.elements
    .flatMap((element) =>
      element.type === 'rich_text_list' ? element.elements.flatMap((item) => item.elements) : element.elements,
    )
    .map(words)
    .join('');
}
