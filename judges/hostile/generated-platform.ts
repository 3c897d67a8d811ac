import { Readable } from 'node:stream';
import { z } from 'zod';
import { type Random as Chance, createRandom } from '../../playground/platform/random.ts';
import { type Platform, platformOver } from '../../src/platform/client.ts';
import { PlatformConnectionError, PlatformError, PlatformShapeError } from '../../src/platform/errors.ts';
import { itemSchemas } from '../../src/platform/shapes.ts';
import type { Call, Transport } from '../../src/platform/transport.ts';
import { Secret } from '../../src/secret.ts';

/** Where the next text comes from. */
export interface Texts {
  next(): string;
}

/** What happens by chance; `manyRows`: how likely a list is long. */
type Random = Chance & { manyRows: number };

interface Shape {
  type?: string | string[];
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
  anyOf?: Shape[];
  oneOf?: Shape[];
  const?: unknown;
  additionalProperties?: Shape;
}

/** Values that code looks for, so that hostile neighbours get into every branch. */
const EXPECTED: Record<string, readonly string[]> = {
  status: ['detached', 'attached', 'active'],
  type: ['cdn', 'anycast'],
  requestMethod: ['GET', 'POST'],
  cacheStatus: ['HIT', 'MISS', '-'],
  url: ['https://db.example.com', 'libsql://db.example.com'],
};
const EXPECTED_DATES = /(At|Modified|timestamp|_at)$/;

const ODD_NUMBERS = [
  0,
  -1,
  -0,
  0.5,
  1e21,
  1e308,
  -1e308,
  5e-324,
  2 ** 53,
  2 ** 31,
  86_400_000,
  8.64e15,
  8.65e15,
  -8.65e15,
];

/** Makes what the platform might send. */
type Make = (texts: Texts, random: Random) => unknown;

const makers = new WeakMap<z.ZodType, Make>();

/** What the platform might send, going by the client's own schema. */
function makerOf(schema: z.ZodType): Make {
  const known = makers.get(schema);
  if (known !== undefined) return known;
  const make = compiled(shapeOf(schema), '', 0);
  makers.set(schema, make);
  return make;
}

/** The schema as JSON; a list of ours says what its items are on the side. */
function shapeOf(schema: z.ZodType): Shape {
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const item = itemSchemas.get(zodSchema);
      if (item === undefined) return;
      delete jsonSchema.anyOf;
      Object.assign(jsonSchema, { type: 'array', items: shapeOf(item) });
    },
  }) as Shape;
}

/** Lists are short, and now and then long. */
const several = (random: Random, least: number, make: (at: number) => unknown) =>
  Array.from({ length: random.next() < random.manyRows ? 150 : random.integer(least, 2) }, (_, at) => make(at));

function compiled(shape: Shape, name: string, depth: number): Make {
  const { anyOf = shape.oneOf, properties, required = [] } = shape;
  if ('const' in shape) return () => shape.const;
  const choices = (anyOf ?? []).filter(({ type }) => type !== 'null').map((one) => compiled(one, name, depth));
  if (choices.length > 0) return (texts, random) => random.pick(choices)(texts, random);
  const [type] = [shape.type ?? []].flat().filter((one) => one !== 'null');
  switch (type) {
    case 'string':
      return textMaker(name);
    case 'number':
    case 'integer':
      // Ids point at each other: the lists are short.
      if (/id$/i.test(name)) return (_, random) => random.integer(1, 2);
      return (_, random) => (random.next() < 0.1 ? random.pick(ODD_NUMBERS) : random.integer(0, 7));
    case 'boolean':
      return (_, random) => random.next() < 0.5;
    case 'array': {
      const item = compiled(shape.items ?? {}, name, depth + 1);
      return (texts, random) => several(random, depth > 3 ? 0 : 1, () => item(texts, random));
    }
    case 'object': {
      if (properties === undefined) {
        const value = compiled(shape.additionalProperties ?? {}, '', depth + 1);
        // `fromEntries`, so that `__proto__` is a key as it is in JSON.
        return (texts, random) =>
          Object.fromEntries(several(random, 1, () => [texts.next(), value(texts, random)]) as [string, unknown][]);
      }
      const made = Object.entries(properties).map(([key, inner]) => ({
        key,
        make: compiled(inner, key, depth + 1),
        isNeeded: required.includes(key),
      }));
      return (texts, random) => {
        const value: Record<string, unknown> = {};
        for (const { key, make, isNeeded } of made) {
          if (isNeeded || random.next() < 0.9) value[key] = make(texts, random);
        }
        return value;
      };
    }
    default:
      return (texts, random) => (random.next() < 0.5 ? random.integer(0, 1_000) : texts.next());
  }
}

function textMaker(name: string): Make {
  const known = EXPECTED[name];
  const isDate = EXPECTED_DATES.test(name);
  return (texts, random) => {
    const chance = random.next();
    if (known !== undefined && chance < 0.15) return random.pick(known);
    return isDate && chance < 0.3 ? new Date(random.integer(0, 2e12)).toISOString() : texts.next();
  };
}

/**
 * The platform's client with nothing behind it: every answer is made from the schema that reads it, with texts of somebody
 * hostile in every field, in keys too, and numbers that nobody expects.
 */
export function createGeneratedPlatform(
  texts: Texts,
  seed: number,
  { manyRows = 0, onSecret = () => undefined }: { manyRows?: number; onSecret?: (secret: Secret) => void } = {},
): Platform {
  const random = { ...createRandom(seed, 'hostile platform'), manyRows };

  function refused(call: Call): Error | undefined {
    const about = { service: call.service, method: call.method, path: call.path };
    const chance = random.next();
    if (chance < 0.02) {
      return new PlatformConnectionError(texts.next(), { applied: 'maybe', ...about });
    }
    if (chance < 0.04) return new PlatformShapeError(texts.next(), about);
    if (chance >= 0.1) return undefined;
    return new PlatformError(texts.next(), {
      ...about,
      status: random.pick([400, 401, 403, 404, 409, 429, 500, 503]),
      key: texts.next(),
      field: texts.next(),
      title: texts.next(),
      detail: texts.next(),
      instance: texts.next(),
      id: texts.next(),
      requestId: texts.next(),
      details: [texts.next(), texts.next()],
      errors: [{ message: texts.next(), field: texts.next() }],
    });
  }

  const answerOf = <T>(call: Call, schema: z.ZodType<T>): T => {
    const error = refused(call);
    if (error !== undefined) throw error;
    return schema.parse(makerOf(schema)(texts, random));
  };

  const transport: Transport = {
    read: async (call, schema) => answerOf(call, schema),
    async write(call, schema) {
      const extra = Object.fromEntries(
        Array.from({ length: random.integer(0, 3) }, () => [texts.next(), texts.next()]),
      );
      return random.next() < 0.3 ? { extra } : { answer: answerOf(call, schema), extra };
    },
    async post(call) {
      const error = refused(call);
      if (error !== undefined) throw error;
      return sqlAnswer(call, texts, random);
    },
    stream: async () => Readable.from([Buffer.from(logLines(texts, random))]),
    async readRecords(call, wanted) {
      const error = refused(call);
      if (error !== undefined) throw error;
      // What is no such record is left out.
      const records = Array.from({ length: random.integer(0, 4) }, () =>
        wanted.schema.safeParse(makerOf(wanted.schema)(texts, random)),
      ).flatMap(({ success, data }) => (success ? [data] : []));
      return {
        records,
        rest: wanted.rest.parse({
          [wanted.list]: [],
          pagination: { hasMore: random.next() < 0.5 },
          hasMoreData: random.next() < 0.5,
        }),
        isCut: false,
      };
    },
    close: async () => undefined,
  };

  return platformOver(transport, {
    apiUrl: 'http://generated.invalid',
    accessKey: Secret.of('unused'),
    databaseHosts: ['example.com'],
    onSecret,
  });
}

function sqlAnswer(call: Call, texts: Texts, random: Random): unknown {
  const { requests = [] } = (call.body ?? {}) as { requests?: { type: string; batch?: { steps: unknown[] } }[] };
  const value = () => {
    const kind = random.pick(['text', 'text', 'text', 'null', 'integer', 'float', 'blob']);
    if (kind === 'integer') return { type: kind, value: random.pick(['1', '-1', '9223372036854775807']) };
    if (kind === 'float') return { type: kind, value: random.pick([0.5, -1e300]) };
    return kind === 'blob' ? { type: kind, base64: 'PTErMQ==' } : { type: kind, value: texts.next() };
  };
  const result = () => {
    const width = random.integer(1, 3);
    return {
      cols: Array.from({ length: width }, () => ({ name: texts.next(), decltype: texts.next() })),
      rows: Array.from({ length: random.integer(0, 3) }, () => Array.from({ length: width }, value)),
      affected_row_count: random.integer(0, 5),
      last_insert_rowid: texts.next(),
    };
  };
  if (random.next() < 0.1) return random.next() < 0.5 ? texts.next() : { [texts.next()]: [texts.next()] };
  if (random.next() < 0.1) {
    return { results: requests.map(() => ({ type: 'error', error: { message: texts.next(), code: texts.next() } })) };
  }
  return {
    results: requests.map(({ type, batch }) => {
      if (type === 'close') return { type: 'ok', response: { type } };
      if (type !== 'batch') return { type: 'ok', response: { type, result: result() } };
      const failing = random.next() < 0.3;
      const steps = batch?.steps ?? [];
      return {
        type: 'ok',
        response: {
          type,
          result: {
            step_results: steps.map(() => (failing ? null : result())),
            step_errors: steps.map(() => (failing ? { message: texts.next(), code: texts.next() } : null)),
          },
        },
      };
    }),
  };
}

/** A v1 log in which everything that may hold text holds somebody's. */
function logLines(texts: Texts, random: Random): string {
  const text = () => texts.next().replace(/[|\r\n]/g, '');
  return Array.from(
    { length: random.integer(0, 6) },
    () =>
    [text(), '200', String(random.integer(1_700_000_000_000, 1_800_000_000_000)), '10', '1', text(), text(), `https://a/${text()}`, text(), text(), '0123456789abcdef0123456789abcdef', text()].join('|'), // biome-ignore format: the fields of a line
  ).join('\n');
}
