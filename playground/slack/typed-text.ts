/**
 * The text of a message as Slack makes it from what a person typed: escapes, mentions, and links around everything that looks
 * like an address. Slash commands don't get this (the manifest has `should_escape: false`).
 */

import type { Workspace } from './workspace.ts';

/** The stored text, and the rich text elements that the event carries beside it. */
export interface TypedText {
  text: string;
  elements: Record<string, unknown>[];
}

/** Endings of file names that people type; Slack links those that are top-level domains only. */
const FILE_ENDINGS = 'json|ya?ml|txt|csv|log|js|mjs|ts|tsx|html?|css|pdf|png|jpe?g|gif|gz|xml|toml|env|lock';
const HOST = `(?:[\\p{L}\\p{N}](?:[\\p{L}\\p{N}_-]*[\\p{L}\\p{N}])?\\.)+(?!(?:${FILE_ENDINGS})\\b)\\p{L}{2,24}(?![\\p{L}\\p{N}_-])`;
const PATH = `(?::\\d+)?(?:[/?#][^\\s<>\`]*[^\\s<>\`.,;:!?)'"])?`;
const PIECE = new RegExp(
  [
    '(?<code>`[^`\\n]+`)',
    `(?<url>https?://[^\\s<>\`]*[^\\s<>\`.,;:!?)'"])`,
    `(?<mail>[\\w.+-]+@${HOST})`,
    '(?<![\\w@])@(?<at>[\\w-]+)',
    '(?<![\\w#&])#(?<channel>[\\w-]+)',
    `(?<![\\p{L}\\p{N}_@/:-])(?<!(?<!\\*)\\.)(?<host>${HOST}${PATH})`,
  ].join('|'),
  'gu',
);

/** Escapes what Slack escapes, and nothing else. */
export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The text as Slack stores and sends it. */
export function readTypedText(typed: string, workspace: Workspace): TypedText {
  let text = '';
  const elements: Record<string, unknown>[] = [];
  const plain = (part: string): void => {
    if (part === '') return;
    text += escapeText(part);
    elements.push({ type: 'text', text: part });
  };
  const special = (stored: string, element: Record<string, unknown>): void => {
    text += stored;
    elements.push(element);
  };

  let end = 0;
  for (const match of typed.matchAll(PIECE)) {
    const found = match.groups ?? {};
    plain(typed.slice(end, match.index));
    end = match.index + match[0].length;
    if (found.code) {
      text += escapeText(match[0]);
      elements.push({ type: 'text', text: match[0].slice(1, -1), style: { code: true } });
    } else if (found.url) special(`<${escapeText(found.url)}>`, { type: 'link', url: found.url });
    else if (found.mail) {
      special(`<mailto:${found.mail}|${found.mail}>`, { type: 'link', url: `mailto:${found.mail}`, text: found.mail });
    } else if (found.host) {
      const shown = escapeText(found.host);
      special(`<http://${shown}|${shown}>`, { type: 'link', url: `http://${found.host}`, text: found.host });
    } else if (found.at) mention(found.at, match[0]);
    else if (found.channel) {
      const channel = [...workspace.channels.values()].find((each) => each.name === found.channel);
      if (channel) special(`<#${channel.id}|${channel.name}>`, { type: 'channel', channel_id: channel.id });
      else plain(match[0]);
    }
  }
  plain(typed.slice(end));
  return { text, elements };

  function mention(name: string, whole: string): void {
    const user = workspace.findUser(name);
    const group = [...workspace.userGroups.values()].find((each) => each.handle === name);
    if (user) special(`<@${user.id}>`, { type: 'user', user_id: user.id });
    else if (group) special(`<!subteam^${group.id}>`, { type: 'usergroup', usergroup_id: group.id });
    else if (name === 'here' || name === 'channel' || name === 'everyone') {
      special(`<!${name}>`, { type: 'broadcast', range: name });
    } else plain(whole);
  }
}
