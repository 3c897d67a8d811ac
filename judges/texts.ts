/** `npm run check -- texts`: every text of the source that people may read, by file, so that somebody can read them all. */
import { eachPiece, filesIn, lineAt, type Piece, read } from '../test/support/source.ts';

const SQL = /^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|WITH|FROM|WHERE|AND|ON CONFLICT|RETURNING|PRAGMA)\b/;
/** Only operators read these. */
const isLogged = ({ type, callee }: Piece) => {
  const { object } = (callee ?? {}) as { object?: Piece & { name?: string; property?: Piece } };
  return type === 'CallExpression' && (object?.name ?? object?.property?.name) === 'log';
};
/** In a template `{…}` stands for what is put in. */
function textOf({ type, value, quasis }: Piece): string | undefined {
  if (type === 'Literal' && typeof value === 'string') return value;
  if (type !== 'TemplateLiteral') return undefined;
  return (quasis as { value: { cooked: string } }[]).map((one) => one.value.cooked).join('{…}');
}

let count = 0;
for (const file of filesIn('src')) {
  const texts = new Map<string, number>();
  const source = read(file);
  eachPiece(source, (piece, within) => {
    const text = textOf(piece)?.trim();
    const isRead = text !== undefined && /\p{L}{2,} \p{L}+|^[A-Z]\p{Ll}+ …?$/u.test(text) && !SQL.test(text);
    if (isRead && !within.some(isLogged)) texts.set(text, lineAt(source, piece.start));
  });
  if (texts.size === 0) continue;
  console.log(`\n${file}`);
  for (const [text, line] of texts) console.log(`${String(line).padStart(5)}  ${text.replaceAll('\n', '\n       ')}`);
  count += texts.size;
}
console.log(`\n${count} texts.`);
