import { UsageError } from '../../../errors.ts';
import type { GivenFile } from '../../context.ts';
import type { ArgumentKind } from '../../operation.ts';

/** Slack's file id, then the hash of what was read. */
const FILE = /^(F[A-Z0-9]{2,30})(?::sha256:([0-9a-f]{64}))?$/;

const sizeOf = (bytes: number) => {
  return bytes >= 1024 * 1024 ? `${Number((bytes / 1024 / 1024).toFixed(1))} MB` : `${Math.ceil(bytes / 1024)} kB`;
};

/** Its canonical text has the hash. A confirmation reads the file again, and refuses other content. */
export function file(
  label: string,
  { extensions, maxBytes }: { extensions: readonly string[]; maxBytes: number },
): ArgumentKind<GivenFile> {
  const kinds = extensions.map((extension) => `.${extension}`).join(', ');
  return {
    label,
    hint: `A file (${kinds}) of at most ${sizeOf(maxBytes)}, in the form or in the thread`,
    shape: 'flag',
    required: true,
    field: { type: 'file', extensions, maxBytes },
    check(text) {
      if (!FILE.test(text.trim())) {
        throw new UsageError(`“${text.slice(0, 75)}” is not a file's id.`, {
          hint: 'Leave it out and choose the file in the form, or mention me in a thread with the file.',
        });
      }
    },
    async resolve(text, context) {
      const [, id, expected] = FILE.exec((text ?? '').trim()) ?? [];
      if (id === undefined) throw new UsageError(`${label} is missing.`);
      const found = await context.file(id, maxBytes);
      const { name, size, sha256 } = found;
      if (size === 0) throw new UsageError(`The file ${name} is empty.`);
      if (size > maxBytes) {
        throw new UsageError(`The file ${name} has ${sizeOf(size)}: at most ${sizeOf(maxBytes)} are accepted.`);
      }
      if (!extensions.some((extension) => name.toLowerCase().endsWith(`.${extension.toLowerCase()}`))) {
        throw new UsageError(`The file ${name} is of the wrong type: only ${kinds} are accepted.`);
      }
      if (expected !== undefined && expected !== sha256) {
        throw new UsageError(`The file ${name} is not the one that was shown: its content has changed.`, {
          hint: 'Start again to see what would be sent now.',
        });
      }
      return found;
    },
    textOf: ({ id, sha256 }) => `${id}:sha256:${sha256}`,
  };
}
