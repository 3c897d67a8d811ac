/** How requests are counted. */
export type LimitPolicy = 'sliding' | 'fixed' | 'bucket';

/** Says whether one more request may pass; passing ones are counted. */
export type RateLimit = (key: string, policy: LimitPolicy) => { passes: boolean; retryAfterMs: number };

/** Counts `limit` requests per `windowMs` and key; the clock gives milliseconds. */
export function createRateLimit(limit: number, windowMs: number, clock: () => number): RateLimit {
  const passed = new Map<string, number[]>();
  const buckets = new Map<string, { tokens: number; at: number }>();

  function sliding(key: string, now: number): number {
    const times = (passed.get(key) ?? []).filter((time) => time > now - windowMs);
    passed.set(key, times);
    const oldest = times[0];
    if (times.length >= limit && oldest !== undefined) {
      return oldest + windowMs - now;
    }
    times.push(now);
    return 0;
  }

  function fixed(key: string, now: number): number {
    const start = Math.floor(now / windowMs) * windowMs;
    const times = (passed.get(key) ?? []).filter((time) => time >= start);
    passed.set(key, times);
    if (times.length >= limit) {
      return start + windowMs - now;
    }
    times.push(now);
    return 0;
  }

  function bucket(key: string, now: number): number {
    const before = buckets.get(key) ?? { tokens: limit, at: now };
    const tokens = Math.min(limit, before.tokens + ((now - before.at) * limit) / windowMs);
    buckets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
    return tokens >= 1 ? 0 : ((1 - tokens) * windowMs) / limit;
  }

  const policies = { sliding, fixed, bucket };
  return (key, policy) => {
    const retryAfterMs = policies[policy](key, clock());
    return { passes: retryAfterMs === 0, retryAfterMs };
  };
}
