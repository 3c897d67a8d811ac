/** A small language for shapes of JSON that complains the way Slack does, with JSON pointers. */

/** One thing that is wrong, as `blocks.validate` lists it. `pointer` is a JSON pointer such as `/blocks/0/text/text`. */
export interface Complaint {
  pointer: string;
  code: string;
  message: string;
  constraint?: { type: string; expected: unknown; got?: unknown };
}

/** Looks at a value; `at` is the pointer to it. */
export type Shape = (value: unknown, at: string) => Complaint[];

/** An object's fields. */
export type Fields = Record<string, unknown>;

/** Tells objects from lists and values. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function complaint(pointer: string, code: string, message: string, expected: unknown, got?: unknown): Complaint {
  return { pointer, code, message, constraint: { type: code, expected, ...(got === undefined ? {} : { got }) } };
}

/** Text between `min` and `max` UTF-16 units. */
export function string(max: number, min = 1): Shape {
  return (value, at) => {
    if (typeof value !== 'string')
      return [complaint(at, 'invalid_type', 'must provide a string', 'string', typeof value)];
    if (value.length > max)
      return [complaint(at, 'max_length', `must be less than ${max + 1} characters`, max, value.length)];
    if (value.length < min)
      return [complaint(at, 'min_length', `must be more than ${min - 1} characters`, min, value.length)];
    return [];
  };
}

/** Text that the pattern takes. */
export function format(pattern: RegExp, message: string): Shape {
  return (value, at) =>
    typeof value === 'string' && pattern.test(value)
      ? []
      : [complaint(at, 'invalid_format', message, pattern.source, value)];
}

/** True or false. */
export const boolean: Shape = (value, at) =>
  typeof value === 'boolean' ? [] : [complaint(at, 'invalid_type', 'must provide a boolean', 'boolean', typeof value)];

/** A finite number. */
export const number: Shape = (value, at) =>
  typeof value === 'number' && Number.isFinite(value)
    ? []
    : [complaint(at, 'invalid_type', 'must provide a number', 'number', typeof value)];

/** A whole number within its bounds. */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER): Shape {
  return (value, at) => {
    if (!Number.isInteger(value)) return [complaint(at, 'invalid_type', 'must provide an integer', 'integer', value)];
    if ((value as number) < min)
      return [complaint(at, 'minimum', `must be greater than or equal to ${min}`, min, value)];
    if ((value as number) > max) return [complaint(at, 'maximum', `must be less than or equal to ${max}`, max, value)];
    return [];
  };
}

/** One of these texts. */
export function choice(...values: string[]): Shape {
  return (value, at) =>
    typeof value === 'string' && values.includes(value)
      ? []
      : [complaint(at, 'enum', `must be one of the allowed values: ${values.join(', ')}`, values, value)];
}

/** A list of `min` to `max` things of one shape. */
export function list(shape: Shape, max: number, min = 1): Shape {
  return (value, at) => {
    if (!Array.isArray(value)) return [complaint(at, 'invalid_type', 'must provide an array', 'array', typeof value)];
    if (value.length > max) return [complaint(at, 'max_items', `no more than ${max} items allowed`, max, value.length)];
    if (value.length < min)
      return [complaint(at, 'min_items', `no fewer than ${min} items allowed`, min, value.length)];
    return value.flatMap((each, index) => shape(each, `${at}/${index}`));
  };
}

/** An object with these fields and no others. A name that ends in `?` may be absent (`null` is not absence). */
export function object(fields: Record<string, Shape>, more: Shape = () => []): Shape {
  const known = Object.entries(fields).map(([name, shape]) => ({
    name: name.replace(/\?$/, ''),
    isOptional: name.endsWith('?'),
    shape,
  }));
  const names = new Set(known.map((each) => each.name));
  return (value, at) => {
    if (!isFields(value)) return [complaint(at, 'invalid_type', 'must provide an object', 'object', typeof value)];
    const complaints: Complaint[] = [];
    for (const { name, isOptional, shape } of known) {
      const field = value[name];
      if (field !== undefined) complaints.push(...shape(field, `${at}/${name}`));
      else if (!isOptional) complaints.push(complaint(at, 'required', `missing required field: ${name}`, name));
    }
    for (const name of Object.keys(value)) {
      if (!names.has(name))
        complaints.push(complaint(at, 'additional', `invalid additional property: ${name}`, [...names], name));
    }
    return complaints.length > 0 ? complaints : more(value, at);
  };
}

/** An object whose `type` says which shape it has. */
export function byType(shapes: Record<string, Shape>): Shape {
  return (value, at) => {
    if (!isFields(value)) return [complaint(at, 'invalid_type', 'must provide an object', 'object', typeof value)];
    const { type } = value;
    if (typeof type !== 'string') return [complaint(at, 'required', 'missing required field: type', 'type')];
    const shape = Object.hasOwn(shapes, type) ? shapes[type] : undefined;
    return shape ? shape(value, at) : [unsupported(type, at)];
  };
}

/** The complaint about a type that is not known here. */
export function unsupported(type: string, at: string): Complaint {
  return complaint(`${at}/type`, 'unsupported_type', `unsupported type: ${type}`, 'a supported type', type);
}

/** A rule over a whole object: complains at `pointer` below it when it does not hold. */
export function rule(holds: (value: Fields) => boolean, message: string, below = ''): Shape {
  return (value, at) =>
    isFields(value) && !holds(value) ? [complaint(`${at}${below}`, 'invalid', message, message)] : [];
}

/** Every complaint of several shapes. */
export function all(...shapes: Shape[]): Shape {
  return (value, at) => shapes.flatMap((shape) => shape(value, at));
}
