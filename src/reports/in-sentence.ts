/** A sentence goes on with what a cause means, unless that begins with a name. */
export const inSentence = (means: string): string =>
  means
    .replace(/^The (?=origin\b)/, '')
    .replace(/^(?!Redis\b)[A-Z](?=[a-z’-]*(?:\s|$))/, (letter) => letter.toLowerCase());
