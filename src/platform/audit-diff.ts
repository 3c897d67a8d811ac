import { HIDDEN, SECRET_FIELD } from '../secret.ts';
import { hideShapes, isSecretName } from '../secret-shapes.ts';
import { parseJson } from './bodies.ts';

/** Without secrets. A field without `before` may tell what the change was about. Null: there was, or is, none. */
export type AuditField = ReturnType<typeof shown>;

interface Found {
  path: readonly string[];
  /** Undefined: the platform does not say. */
  before?: unknown;
  after: unknown;
  isSecret: boolean;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** The form of a diff is not documented, so pairs of old and new are looked for wherever they may be. */
export function fieldsOf(diff: string | undefined, isSecret: boolean): AuditField[] {
  if (diff === undefined || diff.trim() === '') return [];
  return foundIn({ path: [], after: diff, isSecret }).slice(0, 20).map(shown);
}

/** Objects are compared field by field, also those that are JSON in a text. */
function foundIn(found: Found): Found[] {
  const { path } = found;
  const [before, after] = [found.before, found.after].map((value) => {
    const parsed = typeof value === 'string' && /^\s*[[{]/.test(value) ? parseJson(value) : value;
    return isObject(parsed) ? parsed : value;
  });
  const sides = [before, after].filter(isObject);
  if (sides.length === 0) return [found];
  if (path.length > 6) return [];
  const keys = [...new Set(sides.flatMap((side) => Object.keys(side)))];
  const [old, now, named] = [
    /^(?:old|before|from)(?:_?values?)?$/i,
    /^(?:new|after|to)(?:_?values?)?$/i,
    /^(?:(?:property|field|variable)?_?name|property|field)$/i,
  ].map((shape) => keys.find((key) => shape.test(key)) ?? '');
  const names = sides.map((side) => side[named!]).filter((name) => typeof name === 'string');
  // What is beside the name of a header, in whatever field.
  const isName = (value: unknown) => typeof value === 'string' && /^[\w-]{1,100}$/.test(value) && isSecretName(value);
  const isSecret = found.isSecret || sides.some((side) => Object.values(side).some(isName));
  const isPair = before === undefined && (old || now) && keys.every((key) => [old, now, named].includes(key));
  if (isPair && isObject(after))
    return foundIn({ path: [...path, ...names], before: after[old!], after: after[now!] ?? null, isSecret });
  const other = isObject(before) ? after : before;
  // The other side has no fields, so the comparison of fields would not show it.
  const isUnlike = sides.length === 1 && other !== undefined && (keys.length === 0 || other !== null);
  const [first, last] = [before, after].map((side) => (isObject(side) && keys.length > 0 ? '…' : side));
  const fields = keys.flatMap((key) => {
    const [was, is] = [before === undefined ? undefined : valueIn(before, key), valueIn(after, key)];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    const at = Array.isArray(after) ? path : [...path, key];
    const isNaming = key === named && names.length === sides.length;
    return foundIn({ path: at, before: was, after: is, isSecret: isSecret && !isNaming });
  });
  return isUnlike ? [{ path, before: first, after: last, isSecret }, ...fields] : fields;
}

const valueIn = (side: unknown, key: string) => (isObject(side) ? (side[key] ?? null) : null);

function shown({ path, before, after, isSecret }: Found) {
  const isHidden =
    isSecret || path.some((part) => isSecretName(part) || SECRET_FIELD.test(part) || /variable/i.test(part));
  const side = (value: unknown) => {
    if (value === undefined || value === null) return value;
    if (isHidden && typeof value !== 'boolean') return HIDDEN;
    return hideShapes(typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 200);
  };
  // `Hostnames.ForceSSL`; empty if the diff is not JSON.
  return { field: path.join('.').slice(0, 200), before: side(before), after: side(after) };
}
