/** Exit codes of sysexits.h. */
export const EXITS = {
  store: { code: 65, means: 'The store is not a database, is damaged or of another version, or nobody signed it' },
  taken: { code: 69, means: 'Another process has the port or the store' },
  create: { code: 73, means: 'A file or a folder cannot be made' },
  disk: { code: 74, means: 'The disk is full, or fails' },
  refused: { code: 77, means: 'A token or a key is refused, or a file or the port is not for this user' },
  settings: { code: 78, means: 'A setting, the policy or the clock is missing or wrong' },
} as const;

/** Waiting does not help. The message says what happened, and then what to do. */
export class StartError extends Error {
  override name = 'StartError';
  readonly kind: keyof typeof EXITS;

  constructor(kind: keyof typeof EXITS, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

const MINE = 'Make that user the owner of it and of its folder, or start the bot as the user who owns it.';

/** Errors of the operating system, by code. */
const ABOUT_FILES: Readonly<Record<string, { kind: StartError['kind']; says: string; next: string }>> = {
  EACCES: { kind: 'refused', says: 'may not be used by', next: MINE },
  EPERM: { kind: 'refused', says: 'does not belong to', next: MINE },
  EROFS: { kind: 'create', says: 'is on a disk that is read-only', next: 'Mount it for writing, or name another.' },
  ENOTDIR: { kind: 'create', says: 'has a file where a folder has to be', next: 'Move that file, or name another.' },
  EEXIST: { kind: 'create', says: 'has a file where a folder has to be', next: 'Move that file, or name another.' },
  EISDIR: { kind: 'create', says: 'is a folder', next: 'Name a file in it.' },
  ENOENT: { kind: 'create', says: 'does not exist', next: 'Make it, or name another.' },
  ENAMETOOLONG: { kind: 'create', says: 'has too long a name', next: 'Name a file, not what is in it.' },
  ENOSPC: { kind: 'disk', says: 'cannot be written, because the disk is full', next: 'Make room on it.' },
  EDQUOT: { kind: 'disk', says: 'cannot be written, because the disk is full', next: 'Make room on it.' },
  EIO: { kind: 'disk', says: 'cannot be read or written: the disk fails', next: 'Check the disk.' },
};

/** Returns other errors unchanged. */
export function fileProblem(setting: string, path: string, error: unknown): unknown {
  const { kind, says, next } = ABOUT_FILES[(error as NodeJS.ErrnoException).code ?? ''] ?? {};
  if (kind === undefined) return error;
  const whose = kind === 'refused' ? ` the user that the bot runs as (${process.getuid?.() ?? 'on this system'})` : '';
  return new StartError(kind, `${setting}: ${path} ${says}${whose}. ${next}`, { cause: error });
}
