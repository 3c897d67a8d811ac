/** Files: attached to a message, or chosen to be sent. */
import type { UiFile } from '../slack/ui-types.ts';
import { Icon } from './icons.tsx';

/** `1.4 MB`, in thousands as Slack counts. */
function sizeOf(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  const step = bytes < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step]}`;
}

const kindOf = (file: UiFile) =>
  (file.name.includes('.') ? (file.name.split('.').at(-1) ?? '') : file.mimetype).toUpperCase().slice(0, 5);

/** A file of a message: a picture, or a card to download it. */
export function FileCard({ file }: { file: UiFile }) {
  const url = `/ui/files/${encodeURIComponent(file.id)}`;
  if (/^image\/(png|jpeg|gif|svg\+xml|webp)$/.test(file.mimetype))
    return (
      <figure class="file-image">
        <figcaption>{file.title || file.name}</figcaption>
        <a href={url} target="_blank" rel="noopener noreferrer">
          <img src={url} alt={file.title || file.name} />
        </a>
      </figure>
    );
  return (
    <div class="file-card">
      <span class="file-kind">{kindOf(file)}</span>
      <span class="file-words">
        <b>{file.title || file.name}</b>
        <small>
          {file.title && file.title !== file.name ? `${file.name} · ` : ''}
          {sizeOf(file.size)}
        </small>
      </span>
      <a
        class="icon-button"
        href={`${url}?download=1`}
        download={file.name}
        aria-label={`Download ${file.name}`}
        title="Download"
      >
        <Icon name="download" size={18} />
      </a>
    </div>
  );
}

interface ChosenFileProps {
  name: string;
  /** Bytes; absent while it is uploaded. */
  size?: number | undefined;
  remove(): void;
}

/** A file that goes with what is being written or filled in. */
export function ChosenFile({ name, size, remove }: ChosenFileProps) {
  return (
    <div class="file-chosen">
      <Icon name="file" size={18} />
      <span class="file-name">{name}</span>
      <span class="file-size">{size === undefined ? 'Uploading' : sizeOf(size)}</span>
      {size === undefined ? null : (
        <button type="button" class="icon-button" aria-label={`Remove ${name}`} onClick={remove}>
          <Icon name="close" size={14} />
        </button>
      )}
    </div>
  );
}
