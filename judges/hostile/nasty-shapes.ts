/** What repeats in a text that is made to take long: half-open pieces, and what one sign can begin. */
const UNITS = [
  'shop ', '-----BEGIN PRIVATE KEY-----', '-----BEGIN PRIVATE KEY----- ', '--a', '-', '- ', '1+1+', '1', '1,', '1.', '1:', '12:34 ', ' ', '\t', '\n', '\r\n ',
  '"', '\\"', "'", "'a", '“', '`', '` ', 'a.', '.', './', '/', '/a', '../', '\\', 'C:\\a ', '<', '<a', '<http://', '<@U0', '<!date^', '>', '|', '<a|',
  '*', '*a', '**', '_', '_a', '~', '(', '((a ', ')', '[', '[a, ', ']', '{', '{{', '{"a":', '[1,', '%', '%25', '&', '&amp;', '&lt;', '#', '@', 'a@', 'a@b.',
  ':', '::', ':a', 'a:', ': a', ', a: ', ', a: "', '=', 'a=', 'key=', 'password=', 'password: ', 'token":"', 'secret', 'Bearer ', 'Authorization: ',
  'cookie: a=', 'eyJ', 'eyJa.', 'eyJ-', 'sk-', 'AKIA', 'https://', '://', 'a://b@', 'a+', '?', '?a', '$', '$a.', '$1', ';', ',', '!', '^', 'A', 'aA', 'a_', 'AA0',
  '0a', '0:', 'aa:', 'statement: ', 'user ', 'at a.b:1 ', '\0', '\u200b', '\ud83d', '\udc00', '👩‍', 'a\u0301', '\u0301', '\u0315\u0300', 'ſ', 'К', 'aя你', '名', 'ß',
  'FROM a ', 'SELECT ', '/*', "''", 'jan 1 ', 'mon ', '1 ms', 'x[', 'a -> ', '5xx,', '*-', '*a*b', 'xn--', 'bücher.', 'x'.repeat(50),
]; // biome-ignore format: a list of texts reads better as a block

/** A text of about that length. */
export interface Shape {
  name: string;
  of: (length: number) => string;
}

const repeated = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length));

/** Each alone, and with an end that disappoints whoever waited for another one. */
export const nastyShapes: readonly Shape[] = UNITS.flatMap((unit) => [
  { name: JSON.stringify(unit), of: (length: number) => repeated(unit, length) },
  { name: `${JSON.stringify(unit)} and an end`, of: (length: number) => `x${repeated(unit, length)}\u0001!` },
]);

const counted = (piece: (at: number) => string, length: number) => {
  const pieces: string[] = [];
  for (let size = 0, at = 0; size < length; at += 1) size += pieces[pieces.push(piece(at)) - 1]!.length;
  return pieces.join('');
};

/** Things of which no two are alike. */
export const countedShapes: readonly Shape[] = [
  (at: number) => `https://h${at}.example/p${at} `,
  (at: number) => `key${at}=v${at}, `,
  (at: number) => `name${at} `,
  (at: number) => `"a${at}":"b${at}",`,
].map((piece) => ({ name: `${piece(0)}${piece(1)}…`, of: (length) => counted(piece, length) }));
