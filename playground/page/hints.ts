/** Hints of the launcher, which the emulator does not know: `GET /hints.json` of the page server. */
export interface PageHints {
  /** Whole lines to try, such as `/edge help`. */
  tries: string[];
  /** Presses over the composer. */
  chips?: Chip[];
}

/** A press that becomes somebody, or sends a line. */
export interface Chip {
  label: string;
  /** The name of somebody. */
  as?: string;
  line?: string;
}
