/** Hints of the launcher, which the emulator does not know: `GET /hints.json` of the page server. */
export interface PageHints {
  /** Whole lines to try, such as `/edge help`. */
  tries: string[];
}
