/** Lower case, unless the text begins with a name. */
export const inSentence = (means: string): string =>
  means
    .replace(/^The (?=origin\b)/, '')
    .replace(/^(?!Redis\b)[A-Z](?=[a-z’-]*(?:\s|$))/, (letter) => letter.toLowerCase());
