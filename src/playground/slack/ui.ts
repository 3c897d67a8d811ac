/*
 * The page's interface, on the emulator's own port. Requests and answers are the types of `ui-types.ts`, as JSON.
 *
 *   GET  /ui/people                     -> UiUser[]: who can sit at the page (the bot is not among them)
 *   GET  /ui/state?user=U…              -> UiState
 *   GET  /ui/events?user=U…             -> server-sent events, each `data:` a UiChange; `ready` first
 *   GET  /ui/files/F…                   -> the file's bytes (?download=1 as an attachment)
 *   POST /ui/type      UiTypeRequest    -> UiAnswer
 *   POST /ui/click     UiClickRequest   -> UiAnswer
 *   POST /ui/select    UiSelectRequest  -> UiAnswer
 *   POST /ui/suggest   UiSuggestRequest -> UiSuggestAnswer
 *   POST /ui/submit    UiSubmitRequest  -> UiSubmitAnswer
 *   POST /ui/close     UiCloseRequest   -> UiAnswer
 *   POST /ui/home      UiHomeRequest    -> UiAnswer
 *   POST /ui/shortcut  UiShortcutRequest-> UiAnswer
 *   POST /ui/upload?user=U…&name=N      the bytes -> UiUploadAnswer
 *
 * A POST answers when the bot has acked or its time is over; messages, views and the home come as events.
 * Confirm dialogs are the page's own: it asks, then posts the click. In a form the page keeps what is typed and sends all
 * of it (`values`) with each click, select and submit.
 */
export {};
