import type { AnyOperation } from '../../src/operations/operation.ts';
import { eachPiece, lineAt, type Piece } from './source.ts';

/** Records that are read by the keys of arguments. */
const RECORDS = /(?:^|\.)(?:given|canonical|args)$|^(?:resolved\.)?values$/;
/** What holds a name of an operation or a key of an argument. */
const NAMED = /\b(?:operation|command|action|verb)s?\b.*name|\b(?:operation|command|argument|key|name)$/i;

/** The names of operations, and the keys of their arguments. */
interface Names {
  names: ReadonlySet<string>;
  keys: ReadonlySet<string>;
}

/** The names that no code may decide by. */
export function namesIn(operations: readonly AnyOperation[]): Names {
  return {
    names: new Set(operations.map(({ name }) => name)),
    keys: new Set(operations.flatMap(({ args }) => Object.keys(args))),
  };
}

/** Where a file decides by a name or a key: compares with it, looks it up in a list of them, or reads it from a record. */
export function decisionsIn(text: string, { names, keys }: Names): string[] {
  const written = ({ start, end }: Piece) => text.slice(start, end);
  const known = (word: unknown) => typeof word === 'string' && (names.has(word) || keys.has(word));
  const isKnown = (piece: Piece) => piece.type === 'Literal' && known(piece.value);
  // One word may mean something else: such a one counts where it is asked for by name.
  const isPlain = (word: unknown) => /[ -]/.test(String(word)) && names.has(String(word));
  const isAbout = (literal: Piece, other: Piece) => isPlain(literal.value) || NAMED.test(written(other));
  const lists = new Map<string, boolean>();
  const found: string[] = [];
  eachPiece(text, (piece, within) => {
    const note = () => found.push(`line ${lineAt(text, piece.start)}: ${written(piece).split('\n')[0]}`);
    if (piece.type === 'VariableDeclarator') {
      const { id, init } = piece as unknown as { id: Piece; init: Piece | null };
      if (init !== null && id.type === 'Identifier') {
        lists.set(written(id), holdsKnown(init, known));
        if (holdsKnown(init, isPlain)) note();
      }
      if (init !== null && id.type === 'ObjectPattern' && RECORDS.test(written(init)))
        for (const { key } of (id.properties as { key?: Piece }[]).filter(({ key }) => key !== undefined))
          if (keys.has(written(key!))) note();
    }
    if (piece.type === 'BinaryExpression' && /^[!=]==?$/.test(String(piece.operator))) {
      const { left, right } = piece as unknown as { left: Piece; right: Piece };
      if ((isKnown(left) && isAbout(left, right)) || (isKnown(right) && isAbout(right, left))) note();
    }
    if (piece.type === 'SwitchCase' && piece.test !== null && isKnown(piece.test as Piece)) {
      const { discriminant } = within.at(-1) as unknown as { discriminant: Piece };
      if (isAbout(piece.test as Piece, discriminant)) note();
    }
    if (piece.type === 'MemberExpression') {
      const { object, property, computed } = piece as unknown as { object: Piece; property: Piece; computed: boolean };
      const word = computed ? property.value : written(property);
      if (RECORDS.test(written(object)) && typeof word === 'string' && keys.has(word)) note();
      if (computed && NAMED.test(written(property)) && lists.get(written(object)) === true) note();
    }
    if (piece.type === 'CallExpression') {
      const { callee, arguments: given } = piece as unknown as { callee: Piece; arguments: Piece[] };
      if (callee.type !== 'MemberExpression' || given[0] === undefined || !NAMED.test(written(given[0]))) return;
      const { object, property } = callee as unknown as { object: Piece; property: Piece };
      const isList = lists.get(written(object)) ?? (object.type === 'ArrayExpression' && holdsKnown(object, known));
      if (/^(has|includes|get|indexOf)$/.test(written(property)) && isList) note();
    }
  });
  return found;
}

/** Whether a list, set, map or record that is written out holds a name or a key. */
function holdsKnown(value: unknown, known: (word: unknown) => boolean): boolean {
  if (Array.isArray(value)) return value.some((one) => holdsKnown(one, known));
  if (typeof value !== 'object' || value === null) return false;
  const { type, ...parts } = value as Partial<Piece>;
  if (type === 'Literal') return known(parts.value);
  if (type === 'Property')
    return known((parts.key as Piece | undefined)?.name ?? (parts.key as Piece | undefined)?.value);
  return ['ArrayExpression', 'NewExpression', 'ObjectExpression', 'TSAsExpression'].includes(type ?? '')
    ? Object.values(parts).some((part) => holdsKnown(part, known))
    : false;
}
