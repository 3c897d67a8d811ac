/** Files of the workspace: how they are stored and how the API shows them. */

import { nextId } from './ids.ts';
import type { Slack } from './slack.ts';
import type { StoredFile } from './workspace.ts';

const MIMETYPES: Record<string, string> = {
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  txt: 'text/plain',
  log: 'text/plain',
  csv: 'text/csv',
  md: 'text/markdown',
  html: 'text/html',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  pdf: 'application/pdf',
  gz: 'application/gzip',
};

/** The ending of a file's name, in lower case; empty when it has none. */
export function endingOf(name: string): string {
  return /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

/** Stores a file that belongs to a user. */
export function storeFile(slack: Slack, user: string, name: string, bytes: Buffer, mimetype?: string): StoredFile {
  const file: StoredFile = {
    id: nextId(slack, 'F'),
    name,
    title: name,
    mimetype: mimetype ?? MIMETYPES[endingOf(name)] ?? 'application/octet-stream',
    user,
    bytes,
    created: Math.floor(slack.now().getTime() / 1000),
    shares: new Set(),
    altText: '',
  };
  slack.workspace.files.set(file.id, file);
  return file;
}

/** Texts come with their beginning, of so many characters and lines. */
const PREVIEW = { characters: 1_000, lines: 5 };
/** The edges of the pictures that Slack makes of a picture, in pixels. */
const THUMBNAILS = [64, 80, 160, 360, 480, 720, 800, 960, 1024];

/** The file object of the Web API. `shares` has the messages that it stands in. */
export function fileObject(slack: Pick<Slack, 'url' | 'workspace'>, file: StoredFile): Record<string, unknown> {
  const { team, channels, users } = slack.workspace;
  const name = encodeURIComponent(file.name);
  const path = `${slack.url}files-pri/${team.id}-${file.id}`;
  const ending = endingOf(file.name);
  const isText = textOf(file) !== undefined;
  const isIn = (kind: (id: string) => boolean) => [...file.shares].filter(kind);
  return {
    id: file.id,
    created: file.created,
    updated: file.created,
    timestamp: file.created,
    name: file.name,
    title: file.title,
    mimetype: file.mimetype,
    filetype: ending || 'binary',
    pretty_type: ending.toUpperCase() || 'Binary',
    user: file.user,
    user_team: users.get(file.user)?.teamId ?? team.id,
    source_team: team.id,
    editable: isText,
    size: file.bytes.length,
    mode: isText ? 'snippet' : 'hosted',
    is_external: false,
    external_type: '',
    is_public: isIn((id) => channels.get(id)?.isPrivate === false).length > 0,
    public_url_shared: false,
    display_as_bot: false,
    username: '',
    url_private: `${path}/${name}`,
    url_private_download: `${path}/download/${name}`,
    permalink: `${slack.url}files/${file.user}/${file.id}/${name}`,
    permalink_public: `${slack.url}public/${team.id}-${file.id}`,
    media_display_type: 'unknown',
    alt_txt: file.altText,
    is_starred: false,
    has_more_shares: false,
    is_modified_by_ai: false,
    comments_count: 0,
    channels: isIn((id) => channels.get(id)?.isPrivate === false),
    groups: isIn((id) => channels.get(id)?.isPrivate === true && !id.startsWith('D')),
    ims: isIn((id) => id.startsWith('D')),
    shares: sharesOf(slack, file),
    has_rich_preview: false,
    file_access: 'visible',
    ...(isText ? beginningOf(slack, file) : {}),
    ...pictureOf(file, path),
  };
}

/** The content of a file that Slack shows as text. */
export function textOf({ mimetype, bytes }: StoredFile): string | undefined {
  return /^text\/|json|yaml/.test(mimetype) ? bytes.toString('utf8') : undefined;
}

function beginningOf({ url }: Pick<Slack, 'url'>, file: StoredFile): Record<string, unknown> {
  const text = textOf(file) ?? '';
  const lines = text.split('\n');
  const preview = lines.slice(0, PREVIEW.lines).join('\n').slice(0, PREVIEW.characters);
  return {
    edit_link: `${url}files/${file.user}/${file.id}/${encodeURIComponent(file.name)}/edit`,
    preview,
    preview_highlight: `<div class="CodeMirror">${preview.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</div>`,
    preview_is_truncated: preview.length < text.length,
    lines: lines.length,
    lines_more: Math.max(0, lines.length - PREVIEW.lines),
  };
}

/** Sizes stand in the head of a PNG; of other pictures Slack would know them too. */
function pictureOf({ mimetype, bytes }: StoredFile, path: string): Record<string, unknown> {
  if (!mimetype.startsWith('image/')) return {};
  const isPng = mimetype === 'image/png' && bytes.length > 24;
  const [width, height] = isPng ? [bytes.readUInt32BE(16), bytes.readUInt32BE(20)] : [1, 1];
  const scaled = THUMBNAILS.map((edge) => ({ edge, by: Math.min(1, edge / Math.max(width, height)) }));
  const thumbs = scaled.flatMap(({ edge, by }) => [
    [`thumb_${edge}`, `${path}/thumb_${edge}.png`],
    [`thumb_${edge}_w`, Math.round(width * by)],
    [`thumb_${edge}_h`, Math.round(height * by)],
  ]);
  return { original_w: width, original_h: height, thumb_tiny: '', ...Object.fromEntries(thumbs) };
}

function sharesOf({ workspace }: Pick<Slack, 'workspace'>, file: StoredFile): Record<string, unknown> {
  const places: Record<'public' | 'private', Record<string, unknown[]>> = { public: {}, private: {} };
  for (const id of file.shares) {
    const channel = workspace.channels.get(id);
    const own = (workspace.messages.get(id) ?? []).filter((message) => message.files.includes(file.id));
    places[channel?.isPrivate === false ? 'public' : 'private'][id] = own.map((message) => ({
      reply_users: [],
      reply_users_count: 0,
      reply_count: 0,
      ts: message.ts,
      latest_reply: message.ts,
      date_last_shared: file.created,
      access: 'read',
      ...(message.threadTs === undefined ? {} : { thread_ts: message.threadTs }),
      channel_name: channel?.name,
      team_id: workspace.team.id,
      share_user_id: file.user,
      source: 'UNKNOWN',
      is_silent_share: false,
    }));
  }
  return Object.fromEntries(Object.entries(places).filter(([, inside]) => Object.keys(inside).length > 0));
}
