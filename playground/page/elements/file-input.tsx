/** A real file picker: what is chosen goes to the emulator at once, and the form holds its id. */
import { useState } from 'preact/hooks';
import type { UiFile } from '../../slack/ui-types.ts';
import type { ElementOf } from '../blocks/kit.ts';
import { upload } from '../calls.ts';
import { useDirectory } from '../directory.ts';
import { sizeOf } from '../files.tsx';
import { Icon } from '../icons.tsx';
import { type ElementProps, listOf, useElement } from './props.ts';

// The form holds ids alone; the names stay here as long as the page does.
const known = new Map<string, UiFile>();

export function FileInput(props: ElementProps<ElementOf<'file_input'>>) {
  const { element, id, label, describedBy, invalid } = props;
  const { me } = useDirectory();
  const { value, put } = useElement(props);
  const [waiting, setWaiting] = useState<string[]>([]);
  const [error, setError] = useState('');
  const [isOver, setOver] = useState(false);
  const files = listOf(value);
  const most = element.max_files ?? 10;

  async function take(chosen: FileList | null | undefined): Promise<void> {
    const picked = [...(chosen ?? [])].slice(0, most);
    if (picked.length === 0) return;
    setError('');
    const wrong = picked.find((file) => !fits(file.name, element.filetypes));
    if (wrong) {
      setError(`${wrong.name}: only ${element.filetypes?.join(', ')} files fit here.`);
      return;
    }
    setWaiting(picked.map((file) => file.name));
    const ids: string[] = [];
    for (const file of picked) {
      const answer = await upload(me.id, file);
      if (answer.ok) {
        known.set(answer.file.id, answer.file);
        ids.push(answer.file.id);
      } else setError(`${file.name}: ${answer.error}`);
    }
    setWaiting([]);
    put(most === 1 ? ids.slice(0, 1) : [...files, ...ids].slice(0, most));
  }

  return (
    <div class="file-input">
      <label
        class={`file-drop ${isOver ? 'over' : ''} ${invalid ? 'invalid' : ''}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void take(event.dataTransfer?.files);
        }}
      >
        <input
          id={id}
          class="visually-hidden"
          type="file"
          aria-label={label}
          aria-invalid={invalid ?? false}
          {...(describedBy ? { 'aria-describedby': describedBy } : {})}
          multiple={most > 1}
          accept={(element.filetypes ?? []).map((type) => `.${type}`).join(',') || undefined}
          onChange={(event) => {
            const input = event.currentTarget;
            void take(input.files).then(() => {
              input.value = '';
            });
          }}
        />
        <Icon name="paperclip" size={16} />
        <span>
          <b>Choose {most === 1 ? 'a file' : 'files'}</b> or drop {most === 1 ? 'it' : 'them'} here
        </span>
      </label>
      {error ? (
        <p class="field-error" role="alert">
          {error}
        </p>
      ) : null}
      {[...files, ...waiting].map((each) => {
        const file = known.get(each);
        return (
          <div class="file-chosen">
            <Icon name="file" size={18} />
            <span class="file-name">{file?.name ?? each}</span>
            <span class="file-size">{file ? sizeOf(file.size) : 'Uploading'}</span>
            {file ? (
              <button
                type="button"
                class="icon-button"
                aria-label={`Remove ${file.name}`}
                onClick={() => put(files.filter((other) => other !== each))}
              >
                <Icon name="close" size={14} />
              </button>
            ) : null}
          </div>
        );
      })}
    </div>
  );
}

function fits(name: string, types: string[] | undefined): boolean {
  if (!types || types.length === 0) return true;
  const ending = name.toLowerCase().split('.').at(-1) ?? '';
  return types.some((type) => type.toLowerCase().replace(/^\./, '') === ending);
}
