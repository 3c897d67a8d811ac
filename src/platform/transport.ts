import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Secret } from '../secret.ts';
import type { WantedRecords } from './record-slicer.ts';
import { type Done, unknownAnswer } from './shapes.ts';

/** Shield and statistics are at the management address. */
export type Service = 'management' | 'shield' | 'statistics' | 'originLogs' | 'logging' | 'databaseControl' | 'sql';

/** For the rate limit of logs. */
export type Priority = 'person' | 'background';

export interface CallOptions {
  signal?: AbortSignal | undefined;
  priority?: Priority | undefined;
  /** Called with the approximate number of bytes read. */
  onBody?: ((size: number) => void) | undefined;
  /** Asked right before a write leaves. False: the write is given up. */
  fence?: Fence | undefined;
}

/** True while this process still has the change. */
export type Fence = () => boolean;

/** `undefined` is not sent. */
export type QueryValue = string | number | boolean | undefined;

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Without address and authentication. */
export interface Call {
  /** As in docs/platform.md, and in metrics. */
  endpoint: `${Method} ${string}`;
  service: Service;
  method: Method;
  /** Encoded, and relative to the service’s address. */
  path: string;
  query?: Record<string, QueryValue>;
  body?: unknown;
  /** For `POST {database}/v2/pipeline`. */
  database?: { address: URL; token: Secret };
  /** The pull zone whose logging limit counts it. */
  limitedZone?: number;
  /** Unknown fields of the answer are kept in `extra`. */
  open?: boolean;
}

/** As docs/platform.md writes them. */
const ADDRESSES: Readonly<Record<string, Service>> = {
  '{origin_logs_url}': 'originLogs',
  '{logging_url}': 'logging',
  '{database_api_url}': 'databaseControl',
  'https://<database>': 'sql',
  '/shield': 'shield',
};

/** `places` are encoded already. */
export function endpoint(
  name: Call['endpoint'],
  ...places: string[]
): Pick<Call, 'endpoint' | 'service' | 'method' | 'path'> {
  const [method, written = ''] = name.split(' ');
  const [address = '', listed] = Object.entries(ADDRESSES).find(([start]) => written.startsWith(start)) ?? [];
  const path = written.slice(address.startsWith('/') ? 0 : address.length).replace(/\{\w+\}/g, () => places.shift()!);
  const service = listed ?? (written.endsWith('statistics') ? 'statistics' : 'management');
  return { endpoint: name, service, method: method as Method, path };
}

/** Makes the methods for one thing. `idOf` checks and encodes its id. */
export const forOne = <I>(transport: Transport, idOf: (id: I) => string) => ({
  read:
    <T>(name: Call['endpoint'], schema: z.ZodType<T>) =>
    async (id: I, options?: CallOptions): Promise<T> =>
      transport.read(endpoint(name, idOf(id)), schema, options),
  /** Without a body. */
  change:
    (name: Call['endpoint']) =>
    async (id: I, options?: CallOptions): Promise<Done<object>> =>
      transport.write(endpoint(name, idOf(id)), unknownAnswer, options),
  send:
    <B extends object, T>(name: Call['endpoint'], schema: z.ZodType<T>) =>
    async (id: I, body: B, options?: CallOptions): Promise<Done<T>> =>
      transport.write({ ...endpoint(name, idOf(id)), body }, schema, options),
});

/** `rest`: undefined if there were too many records. */
export interface ReadRecords<T, R> {
  records: T[];
  rest: R | undefined;
  isCut: boolean;
}

/** Retries reads; sends writes once. */
export interface Transport {
  read<T>(call: Call, schema: z.ZodType<T>, options?: CallOptions): Promise<T>;
  write<T>(call: Call, schema: z.ZodType<T>, options?: CallOptions): Promise<Done<T>>;
  /** The parsed JSON. Sent once. */
  post(call: Call, options?: CallOptions): Promise<unknown>;
  /** Decoded, without a limit on its size. */
  stream(call: Call, options?: CallOptions): Promise<Readable>;
  /** For a long list, without holding the whole. */
  readRecords<T, R>(
    call: Call,
    wanted: WantedRecords<T> & { rest: z.ZodType<R> },
    options?: CallOptions,
  ): Promise<ReadRecords<T, R>>;
  /** Waits for requests under way. */
  close(): Promise<void>;
}
