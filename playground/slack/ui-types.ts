/**
 * Requests and answers between page and emulator, over `/ui/…`. Types only, nothing of node, so that the page can import
 * them. The routes themselves are described at the top of `ui.ts`.
 */

/** One Block Kit block as the bot sent it, with its `block_id` filled in. `type` says which. */
export interface UiBlock {
  type: string;
  block_id?: string;
  [field: string]: unknown;
}

/** A `{ type: 'plain_text' | 'mrkdwn', text }` object of Block Kit. */
export interface UiText {
  type: string;
  text: string;
  emoji?: boolean;
}

/** One option of a select, an overflow menu, checkboxes or radio buttons. */
export interface UiOption {
  text: UiText;
  value: string;
  description?: UiText;
  url?: string;
}

/** Options under a label. */
export interface UiOptionGroup {
  label: UiText;
  options: UiOption[];
}

/** A person or a bot. `role` is what the page may print beside the name. */
export interface UiUser {
  id: string;
  /** The name behind the `@`, such as `ada`. */
  name: string;
  realName: string;
  role: 'admin' | 'member' | 'guest' | 'stranger' | 'bot';
  teamId: string;
  teamName: string;
  /** An IANA time zone. */
  tz: string;
  /** Ephemeral messages do not reach them. */
  isAway: boolean;
}

/** A conversation the person can see. A direct message with the bot has `kind: 'dm'` and no `#`. */
export interface UiChannel {
  id: string;
  /** `ops` for a channel, the bot's name for a direct message. */
  name: string;
  kind: 'channel' | 'dm';
  topic: string;
  /** True where the bot is a member: elsewhere its posts answer `not_in_channel`. */
  botIsMember: boolean;
  isArchived: boolean;
  /** User ids. */
  members: string[];
}

/** A user group that messages may mention. */
export interface UiUserGroup {
  id: string;
  handle: string;
  name: string;
}

/** An attached file. `url` is served by the emulator to the page without a token. */
export interface UiFile {
  id: string;
  name: string;
  title: string;
  mimetype: string;
  /** Bytes. */
  size: number;
  url: string;
}

/** A message that the person sees. `ts` is its identity within the channel; an edit arrives as the same `ts` again. */
export interface UiMessage {
  channel: string;
  ts: string;
  /** The author's user id. `USLACKBOT` for what Slack itself says, such as a command that timed out. */
  user: string;
  /** mrkdwn, as stored: `<@U…>`, `<#C…>`, `<https://…|label>`, `&amp;` … When blocks are there it is only their twin. */
  text: string;
  blocks: UiBlock[];
  files: UiFile[];
  /** Only the person who is looking sees it. */
  ephemeral: boolean;
  edited: boolean;
  /** The root's `ts` when this is a reply in a thread. */
  threadTs?: string;
  /** A reply that is shown in the channel too. */
  broadcast: boolean;
  /** On a root: how many replies the person sees. */
  replies: number;
  reactions: { name: string; users: string[] }[];
  /** The person's choices in this message's menus and inputs so far. */
  values: UiValues;
}

/**
 * The value of one input or menu: text, number, email, URL and rich text as typed; a date `YYYY-MM-DD`; a time `HH:mm`;
 * a date and time as unix seconds; the value of the chosen option; a user, channel or conversation id; for multi selects,
 * checkboxes and files an array of values or file ids. `null` is nothing.
 */
export type UiValue = string | string[] | null;

/** By block id, then action id. */
export type UiValues = Record<string, Record<string, UiValue>>;

/** An open modal, or the App Home. */
export interface UiView {
  id: string;
  type: 'modal' | 'home';
  title: string;
  blocks: UiBlock[];
  /** The submit button's label; without one there is none. */
  submit?: string;
  /** The close button's label; `Cancel` unless the bot named it. */
  close: string;
  /** By block id: what the bot's answer complained about. A key that names no block is shown on top. */
  errors: Record<string, string>;
  /** The values of the inputs, initial or put in since. Kept over an update where block and action id stay. */
  values: UiValues;
  /** Changes with every update of the view. */
  hash: string;
  callbackId: string;
}

/** A slash command of the app. */
export interface UiCommand {
  /** With the slash: `/edge`. */
  command: string;
  description: string;
  usageHint: string;
}

/** A shortcut of the app. */
export interface UiShortcut {
  callbackId: string;
  name: string;
  type: 'global' | 'message';
}

/** Everything the person sees: `GET /ui/state?user=U…`. */
export interface UiState {
  team: { id: string; name: string };
  /** The person who is looking. */
  user: UiUser;
  /** Everybody, the bot too: to draw names and mentions. */
  users: UiUser[];
  userGroups: UiUserGroup[];
  /** The conversations this person is in. */
  channels: UiChannel[];
  bot: { userId: string; name: string; appId: string };
  commands: UiCommand[];
  shortcuts: UiShortcut[];
  /** By channel id, oldest first; replies of threads among them (they have `threadTs`). */
  messages: Record<string, UiMessage[]>;
  /** The stack of open modals; the last one is on top and the only one drawn. */
  views: UiView[];
  /** The App Home as the bot published it for this person. */
  home: UiView | null;
  /** The emulator's clock, as timestamps of messages have it. */
  at: string;
}

/** One `data:` line of `GET /ui/events?user=U…`. */
export type UiChange =
  /** The first one: the stream stands (fetch the state now). */
  | { type: 'ready' }
  /** A new message, or a known one (same channel and `ts`) changed. */
  | { type: 'message'; message: UiMessage }
  | { type: 'removed'; channel: string; ts: string }
  /** The whole stack, whenever anything in it changed. */
  | { type: 'views'; views: UiView[] }
  | { type: 'home'; home: UiView | null }
  /** A channel was made, or its members changed. */
  | { type: 'channels'; channels: UiChannel[] }
  /** Somebody went away, or came back. */
  | { type: 'user'; user: UiUser }
  /** Slack tells the person about something that belongs to no message: shown as a toast. */
  | { type: 'notice'; text: string };

/** Where an element sits: in a message, or in a view (a modal or the home, by view id). */
export type UiContainer = { channel: string; ts: string } | { view: string };

/** `POST /ui/type`: a message, or a slash command when the text begins with `/`. */
export interface UiTypeRequest {
  user: string;
  channel: string;
  text: string;
  /** The root's `ts`, to answer in a thread (slash commands don't work there, as in Slack). */
  thread?: string;
  /** Ids of uploaded files. */
  files?: string[];
}

/** `POST /ui/edit`: changes a message of one's own; without a text it is deleted. */
export interface UiEditRequest {
  user: string;
  channel: string;
  ts: string;
  text?: string;
}

/** `POST /ui/away` */
export interface UiAwayRequest {
  user: string;
  away: boolean;
}

/** `POST /ui/click`: a button, by the ids of its block and action. `values` is what the form holds now. */
export interface UiClickRequest {
  user: string;
  at: UiContainer;
  block: string;
  action: string;
  values?: UiValues;
}

/**
 * `POST /ui/select`: a value chosen where choosing itself is an action (in a message or an actions/section block, or an
 * input block with `dispatch_action`); for an overflow menu the value of the option. Other inputs need no request.
 */
export interface UiSelectRequest extends UiClickRequest {
  value: UiValue;
}

/** `POST /ui/suggest`: the options of an external select for what was typed so far. */
export interface UiSuggestRequest {
  user: string;
  at: UiContainer;
  block: string;
  action: string;
  query: string;
}

/** `POST /ui/submit` */
export interface UiSubmitRequest {
  user: string;
  view: string;
  values: UiValues;
}

/** `POST /ui/close`: the close button (back to the view below), or with `all` the cross (the whole stack). */
export interface UiCloseRequest {
  user: string;
  view: string;
  all?: boolean;
}

/** `POST /ui/home`: the person opens the App Home, on its home or messages tab. */
export interface UiHomeRequest {
  user: string;
  tab?: 'home' | 'messages';
}

/** `POST /ui/shortcut`: a global shortcut, or with `at` one on a message. */
export interface UiShortcutRequest {
  user: string;
  callbackId: string;
  at?: { channel: string; ts: string };
}

/**
 * The answer of every POST, given when the bot has acked (or the 3 seconds are over); what came of it arrives as changes.
 * `error` is a sentence for the person: draw it beside what was pressed.
 */
export type UiAnswer = { ok: true } | { ok: false; error: string };

/** The answer of `POST /ui/suggest`. */
export type UiSuggestAnswer = { ok: true; options: UiOption[]; groups: UiOptionGroup[] } | { ok: false; error: string };

/** The answer of `POST /ui/submit`: `errors` by block id when the bot refused the fields (the view change says it too). */
export type UiSubmitAnswer = { ok: true; errors?: Record<string, string> } | { ok: false; error: string };

/** The answer of `POST /ui/upload?user=U…&name=spec.json` with the file's bytes as the body. */
export type UiUploadAnswer = { ok: true; file: UiFile } | { ok: false; error: string };
