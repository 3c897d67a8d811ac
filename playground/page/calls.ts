/** The page's side of `/ui/…`: one function per route of `../slack/ui.ts`. The page server passes them on to the emulator. */
import type {
  UiAnswer,
  UiAwayRequest,
  UiChange,
  UiClickRequest,
  UiCloseRequest,
  UiEditRequest,
  UiHomeRequest,
  UiSelectRequest,
  UiShortcutRequest,
  UiState,
  UiSubmitAnswer,
  UiSubmitRequest,
  UiSuggestAnswer,
  UiSuggestRequest,
  UiTypeRequest,
  UiUploadAnswer,
  UiUser,
} from '../slack/ui-types.ts';
import type { PageHints } from './hints.ts';

const offline = 'The playground does not answer. Is it still running in your terminal?';

async function get<T>(path: string): Promise<T> {
  const response = await fetch(path, { headers: { Accept: 'application/json' } });
  if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`);
  return (await response.json()) as T;
}

async function post<Answer>(path: string, body: object): Promise<Answer | { ok: false; error: string }> {
  const isFile = body instanceof Blob;
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'Content-Type': isFile ? 'application/octet-stream' : 'application/json' },
      body: isFile ? body : JSON.stringify(body),
    });
    return (await response.json()) as Answer;
  } catch {
    return { ok: false, error: offline };
  }
}

/** The people who can sit at the page. */
export const getPeople = () => get<UiUser[]>('/ui/people');
/** Everything that a person sees; `isNew` when the page was just loaded. */
export const getState = (user: string, isNew: boolean) =>
  get<UiState>(`/ui/state?user=${encodeURIComponent(user)}${isNew ? '&load' : ''}`);
/** The launcher's hints. */
export const getHints = () => get<PageHints>('/hints.json');

/** Sends a line. */
export const sendText = (request: UiTypeRequest) => post<UiAnswer>('/ui/type', request);
/** Changes a message of one's own, or without a text deletes it. */
export const editMessage = (request: UiEditRequest) => post<UiAnswer>('/ui/edit', request);
/** Goes away, or comes back. */
export const setAway = (request: UiAwayRequest) => post<UiAnswer>('/ui/away', request);
/** Presses a button. */
export const click = (request: UiClickRequest) => post<UiAnswer>('/ui/click', request);
/** Chooses in a menu. */
export const select = (request: UiSelectRequest) => post<UiAnswer>('/ui/select', request);
/** Asks for the options of an external select. */
export const suggest = (request: UiSuggestRequest) => post<UiSuggestAnswer>('/ui/suggest', request);
/** Submits a modal. */
export const submit = (request: UiSubmitRequest) => post<UiSubmitAnswer>('/ui/submit', request);
/** Closes a modal. */
export const close = (request: UiCloseRequest) => post<UiAnswer>('/ui/close', request);
/** Opens the App Home. */
export const openHome = (request: UiHomeRequest) => post<UiAnswer>('/ui/home', request);
/** Runs a shortcut. */
export const runShortcut = (request: UiShortcutRequest) => post<UiAnswer>('/ui/shortcut', request);
/** Stores a file for a person. */
export const upload = (user: string, file: File) =>
  post<UiUploadAnswer>(`/ui/upload?user=${encodeURIComponent(user)}&name=${encodeURIComponent(file.name)}`, file);

/** Listens to what changes for one person until the returned function is called. The browser reconnects by itself. */
export function listen(user: string, onChange: (change: UiChange) => void, onLost: () => void): () => void {
  const source = new EventSource(`/ui/events?user=${encodeURIComponent(user)}`);
  source.onmessage = (event) => onChange(JSON.parse(event.data) as UiChange);
  source.onerror = onLost;
  return () => source.close();
}
