/** A real file picker: what is chosen goes to the emulator at once, and the form holds its id. */
import { useState } from 'preact/hooks';
import type { UiFile } from '../../slack/ui-types.ts';
import type { ElementOf } from '../blocks/kit.ts';
import { upload } from '../calls.ts';
import { useDirectory } from '../directory.ts';
import { ChosenFile } from '../files.tsx';
import { Icon } from '../icons.tsx';
import { type ElementProps, listOf, useElement } from './props.ts';

// The form holds ids alone; the names stay here as long as the page does.
const known = new Map<string, UiFile>();

/** The `file_input` element with the files that were chosen. */
export function FileInput(props: ElementProps<ElementOf<'file_input'>>) {
  const { value, put } = useElement(props);
  const { waiting, error, take } = useUploads(props);
  const files = listOf(value);
  return (
    <div class="file-input">
      <DropZone {...props} take={take} />
      {error ? (
        <p class="field-error" role="alert">
          {error}
        </p>
      ) : null}
      {[...files, ...waiting].map((each) => {
        const file = known.get(each);
        const remove = () => put(files.filter((other) => other !== each));
        return <ChosenFile name={file?.name ?? each} size={file?.size} remove={remove} />;
      })}
    </div>
  );
}

/** Uploads the files that were chosen and puts their ids into the form; `waiting` are the names of those under way. */
function useUploads(props: ElementProps<ElementOf<'file_input'>>) {
  const { max_files: most = 10, filetypes } = props.element;
  const { me } = useDirectory();
  const { value, put } = useElement(props);
  const [waiting, setWaiting] = useState<string[]>([]);
  const [error, setError] = useState('');

  async function take(chosen: FileList | null | undefined): Promise<void> {
    const picked = [...(chosen ?? [])].slice(0, most);
    if (picked.length === 0) return;
    setError('');
    const wrong = picked.find((file) => !fits(file.name, filetypes));
    if (wrong) {
      setError(`${wrong.name}: only ${filetypes?.join(', ')} files fit here.`);
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
    put(most === 1 ? ids.slice(0, 1) : [...listOf(value), ...ids].slice(0, most));
  }

  return { waiting, error, take };
}

interface DropZoneProps extends ElementProps<ElementOf<'file_input'>> {
  take(chosen: FileList | null | undefined): Promise<void>;
}

/** The field that opens the file picker, and takes files that are dropped on it. */
function DropZone({ element, id, label, describedBy, invalid, take }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  const isSingle = element.max_files === 1;
  return (
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
        multiple={!isSingle}
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
        <b>Choose {isSingle ? 'a file' : 'files'}</b> or drop {isSingle ? 'it' : 'them'} here
      </span>
    </label>
  );
}

function fits(name: string, types: string[] | undefined): boolean {
  if (!types || types.length === 0) return true;
  const ending = name.toLowerCase().split('.').at(-1) ?? '';
  return types.some((type) => type.toLowerCase().replace(/^\./, '') === ending);
}
