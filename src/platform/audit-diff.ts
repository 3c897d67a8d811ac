import { HIDDEN, SECRET_FIELD } from '../secret.ts';
import { hideShapes, isSecretName } from '../secret-shapes.ts';
import { parseJson } from './bodies.ts';

const MOST_FIELDS = 20;
const MOST_DEPTH = 6;
/** In characters. */
const LONGEST = 200;

/** Undefined: the platform does not say. Null: there was, or is, none. */
type Value = string | null | undefined;

/** Without secrets. A field without `before` may tell what the change was about. */
export interface AuditField {
  /** `Hostnames.ForceSSL`; empty if the diff is no JSON. */
  field: string;
  before?: Value;
  after?: Value;
}

type Json = Readonly<Record<string, unknown>>;

interface Found {
  path: readonly string[];
  before?: unknown;
  after?: unknown;
  isSecret: boolean;
}

const OLD = /^(?:old|before|from|previous|original)(?:_?values?)?$/i;
const NEW = /^(?:new|after|to|current)(?:_?values?)?$/i;
const NAME = /^(?:(?:property|field|variable)?_?name|property|field|path)$/i;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** The form of a diff is not documented, so pairs of old and new are looked for wherever they may be. */
export function fieldsOf(diff: string | undefined, isSecret: boolean): AuditField[] {
  if (diff === undefined || diff.trim() === '') return [];
  const parsed = parseJson(diff);
  if (!isObject(parsed)) return [shown({ path: [], after: diff, isSecret })];
  const fields: AuditField[] = [];
  for (const found of foundIn(parsed, [], isSecret)) if (fields.push(shown(found)) === MOST_FIELDS) break;
  return fields;
}

function* foundIn(value: Json, path: readonly string[], isSecret: boolean): Generator<Found> {
  if (path.length > MOST_DEPTH) return;
  const keys = Object.keys(value);
  const [old, now, named] = [OLD, NEW, NAME].map((shape) => keys.find((key) => shape.test(key)));
  const name = value[named ?? ''];
  const isHidden = isSecret || (typeof name === 'string' && isSecretName(name));
  const isPair = (old ?? now) !== undefined && keys.every((key) => [old, now, named].includes(key));
  if (isPair) {
    const at = typeof name === 'string' ? [...path, name] : path;
    yield* apart({ path: at, before: value[old ?? ''], after: value[now ?? ''], isSecret: isHidden });
    return;
  }
  for (const key of keys) {
    const [at, inner] = [Array.isArray(value) ? path : [...path, key], value[key]];
    if (isObject(inner)) yield* foundIn(inner, at, isHidden);
    else yield { path: at, after: inner, isSecret: isHidden && key !== named };
  }
}

/** Two objects are compared field by field. */
function* apart(found: Found): Generator<Found> {
  const { path, before, after } = found;
  if (path.length > MOST_DEPTH || !(isObject(before) || isObject(after))) return yield found;
  const sides = [before, after].map((side) => (isObject(side) ? side : {}));
  for (const key of new Set(sides.flatMap((side) => Object.keys(side)))) {
    const [was, is] = sides.map((side) => side[key] ?? null);
    const inner = { ...found, path: [...path, key], before: was, after: is };
    if (JSON.stringify(was) !== JSON.stringify(is)) yield* apart(inner);
  }
}

function shown({ path, before, after, isSecret }: Found): AuditField {
  const isHidden = isSecret || path.some((part) => isSecretName(part) || SECRET_FIELD.test(part));
  const side = (value: unknown): Value => {
    if (value === undefined || value === null) return value;
    if (isHidden && typeof value !== 'boolean') return HIDDEN;
    return hideShapes(typeof value === 'string' ? value : JSON.stringify(value)).slice(0, LONGEST);
  };
  return { field: path.join('.').slice(0, LONGEST), before: side(before), after: side(after) };
}
