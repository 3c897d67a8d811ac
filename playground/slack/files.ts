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
  };
  slack.workspace.files.set(file.id, file);
  return file;
}

/** The file object of the Web API. */
export function fileObject(slack: Pick<Slack, 'url' | 'workspace'>, file: StoredFile): Record<string, unknown> {
  const path = `${slack.url}files-pri/${slack.workspace.team.id}-${file.id}`;
  const name = encodeURIComponent(file.name);
  return {
    id: file.id,
    created: file.created,
    timestamp: file.created,
    name: file.name,
    title: file.title,
    mimetype: file.mimetype,
    filetype: endingOf(file.name) || 'binary',
    pretty_type: endingOf(file.name).toUpperCase() || 'Binary',
    user: file.user,
    user_team: slack.workspace.users.get(file.user)?.teamId ?? slack.workspace.team.id,
    editable: false,
    size: file.bytes.length,
    mode: 'hosted',
    is_external: false,
    external_type: '',
    is_public: false,
    public_url_shared: false,
    display_as_bot: false,
    username: '',
    url_private: `${path}/${name}`,
    url_private_download: `${path}/download/${name}`,
    permalink: `${slack.url}files/${file.user}/${file.id}/${name}`,
    channels: [...file.shares].filter((id) => id.startsWith('C')),
    groups: [],
    ims: [...file.shares].filter((id) => id.startsWith('D')),
    file_access: 'visible',
  };
}
