/** A thing the composer can complete: `ssl force`, what follows it, and one line that says what it does. */
export interface CommandHint {
  /** Without the slash command: `ssl force`. */
  words: string;
  /** The arguments as a usage line shows them: `<hostname> <on|off> [--zone]`. */
  usage: string;
  summary: string;
}

/** Hints of the launcher, which the emulator does not know: `GET /hints.json` of the page server. */
export interface PageHints {
  commands: CommandHint[];
  /** Whole lines to try, such as `/edge help`. */
  tries: string[];
}
