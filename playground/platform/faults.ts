/**
 * Faults, which the simulator commits on purpose. One fault is `name[=value][@[METHOD ][part]][*N]`:
 * `part` is looked for in `<service>/<path>` (services: api, origin-logs, logging, database), and `*N` ends it after
 * N requests. Examples: `slow=2000`, `drop-after@DELETE /mc/apps*1`, `status=503@logging`.
 *
 * | fault | what happens | applied |
 * |---|---|---|
 * | `slow=MS` | waits before doing anything | yes |
 * | `drop-before` | the connection is destroyed before anything is done | no |
 * | `drop-after` | done, then the connection is destroyed without an answer | yes |
 * | `status=N` | answered with N in the service's error shape (429 and 503 with `Retry-After: 5`) | no |
 * | `html` | answered with a proxy's HTML page and status 200 (`html=502`: that status) | no |
 * | `truncated` | the JSON ends in the middle | yes |
 * | `cut` | the connection ends in the middle of the body | yes |
 * | `empty` | the status without its body | yes |
 * | `envelope` | problem details arrive as `{data: null, error: {…}}` with the same status | – |
 * | `accepted` | 202 with such an envelope | no |
 * | `flat` | errors of the access log service have `code` at the top instead of under `error` | – |
 * | `limiter=sliding\|fixed\|bucket` | how the access log service counts its 30 requests per 10 s | – |
 * | `deletion=MS` | how long a deleted application stays listed (3000) | – |
 * | `unverified` | completing a certificate fails: the TXT record is not there | no |
 */
export interface Fault {
  name: FaultName;
  value?: string;
  method?: string;
  part?: string;
  /** How many more requests it is for; undefined: all. */
  left?: number;
}

const NAMES = [
  'slow',
  'drop-before',
  'drop-after',
  'status',
  'html',
  'truncated',
  'cut',
  'empty',
  'envelope',
  'accepted',
  'flat',
  'limiter',
  'deletion',
  'unverified',
] as const;

/** The names of the table above. */
export type FaultName = (typeof NAMES)[number];

const VALUES: Partial<Record<FaultName, RegExp>> = {
  slow: /^\d{1,6}$/,
  status: /^[2-5]\d\d$/,
  html: /^([2-5]\d\d)?$/,
  limiter: /^(sliding|fixed|bucket)$/,
  deletion: /^\d{1,9}$/,
};

const isFaultName = (text: string): text is FaultName => NAMES.some((name) => name === text);

/** Reads one fault. Throws a RangeError that says what is wrong. */
export function parseFault(text: string): Fault {
  const match = /^([a-z-]+)(?:=([^@*]*))?(?:@([^*]+))?(?:\*(\d+))?$/.exec(text.trim());
  const [, name = '', value, scope, times] = match ?? [];
  if (!isFaultName(name)) {
    throw new RangeError(`Unknown fault "${text}": one of ${NAMES.join(', ')}.`);
  }
  const wanted = VALUES[name];
  if (wanted ? !wanted.test(value ?? '') : value !== undefined) {
    throw new RangeError(`The fault "${text}" has ${wanted ? 'no usable' : 'an unwanted'} value.`);
  }
  const [, method, rest] = /^(?:([A-Z]+)(?:\s+|$))?(.*)$/.exec(scope?.trim() ?? '') ?? [];
  return {
    name,
    ...(value ? { value } : {}),
    ...(method ? { method } : {}),
    ...(rest ? { part: rest } : {}),
    ...(times ? { left: Number(times) } : {}),
  };
}

/** The faults that are switched on. */
export interface Faults {
  /** Switches one on; call what it returns to switch it off. */
  add(text: string): () => void;
  clear(): void;
  /** Those that concern a request, counted down. */
  take(request: { service: string; method: string; path: string }): Map<FaultName, string>;
  /** The value of a fault that is a setting (`limiter`, `deletion`), if it is on. */
  setting(name: FaultName): string | undefined;
}

const SETTINGS: readonly FaultName[] = ['limiter', 'deletion'];

/** Starts with the given faults switched on. */
export function createFaults(texts: readonly string[] = []): Faults {
  let active: Fault[] = texts.map(parseFault);
  return {
    add(text) {
      const fault = parseFault(text);
      active.push(fault);
      return () => {
        active = active.filter((other) => other !== fault);
      };
    },
    clear() {
      active = [];
    },
    take({ service, method, path }) {
      const taken = new Map<FaultName, string>();
      for (const fault of active) {
        const concerns =
          !SETTINGS.includes(fault.name) &&
          fault.left !== 0 &&
          (fault.method === undefined || fault.method === method) &&
          (fault.part === undefined || `${service}${path}`.includes(fault.part));
        if (concerns) {
          taken.set(fault.name, fault.value ?? '');
          if (fault.left !== undefined) {
            fault.left -= 1;
          }
        }
      }
      return taken;
    },
    setting: (name) => active.findLast((fault) => fault.name === name)?.value,
  };
}
