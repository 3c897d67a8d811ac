import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Secret } from '../secret.ts';
import type { WantedRecords } from './record-slicer.ts';
import type { Done } from './shapes.ts';

/** The services that a request can go to. Shield and statistics live at the management address, but are listed apart. */
export type Service = 'management' | 'shield' | 'statistics' | 'originLogs' | 'logging' | 'databaseControl' | 'sql';

/** A person waits for the answer, or a scan or report that can wait. Matters for the logging limit only. */
export type Priority = 'person' | 'background';

/** How one call is made. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  priority?: Priority | undefined;
  /** Told how much of an answer was read, about, in bytes. */
  onBody?: ((size: number) => void) | undefined;
  /** Asked right before the bytes of the request go: false gives it up. */
  fence?: Fence | undefined;
}

/** True while a change is this process's to make. */
export type Fence = () => boolean;

/** A value of the query; `undefined` is left out. */
export type QueryValue = string | number | boolean | undefined;

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One request of the platform, before its address and its authentication are put in. */
export interface Call {
  /** As docs/platform.md writes it; metrics name the request so, without the ids in its path. */
  endpoint: `${Method} ${string}`;
  service: Service;
  method: Method;
  /** Below the service's base address; its variable parts already encoded. */
  path: string;
  /** `undefined` values are left out. */
  query?: Record<string, QueryValue>;
  /** Sent as JSON. */
  body?: unknown;
  /** Only for `POST {database}/v2/pipeline`: the database's own address and token. */
  database?: { address: URL; token: Secret };
  /** Only the access log service: the pull zone whose limit counts this request. */
  limitedZone?: number;
  /** For writes whose answer nobody describes: what the body says beyond the schema goes into `extra`. */
  open?: boolean;
}

/** docs/platform.md writes this in place of a service's address. */
const ADDRESSES: Readonly<Record<string, Service>> = {
  '{origin_logs_url}': 'originLogs',
  '{logging_url}': 'logging',
  '{database_api_url}': 'databaseControl',
  'https://<database>': 'sql',
  '/shield': 'shield',
};

/** The request of an endpoint as docs/platform.md writes it, with these in its places, already encoded. */
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

/** The records of a list, and what stands beside it; not known where there were more records than wanted. */
export interface ReadRecords<T, R> {
  records: T[];
  rest: R | undefined;
  isCut: boolean;
}

/** Sends requests. Reads are tried again when that can help; writes are sent once, whatever happens. */
export interface Transport {
  /** A GET that changes nothing. */
  read<T>(call: Call, schema: z.ZodType<T>, options?: CallOptions): Promise<T>;
  /** Anything that changes something. */
  write<T>(call: Call, schema: z.ZodType<T>, options?: CallOptions): Promise<Done<T>>;
  /** A POST whose whole answer is wanted as it came: the parsed JSON, or the text. Sent once. */
  post(call: Call, options?: CallOptions): Promise<unknown>;
  /** A GET whose body is a file; decoded, not bounded. */
  stream(call: Call, options?: CallOptions): Promise<Readable>;
  /** A GET whose answer is one long list of objects; read as it comes in, so that it is never held whole. */
  readRecords<T, R>(
    call: Call,
    wanted: WantedRecords<T> & { rest: z.ZodType<R> },
    options?: CallOptions,
  ): Promise<ReadRecords<T, R>>;
  /** Waits for what is under way, then closes every connection. */
  close(): Promise<void>;
}
