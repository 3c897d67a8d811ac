import { LOGGING_LIMIT, type PermitStore } from '../../src/platform/rate-limit.ts';

/** After a 429 the number of permits is halved, and grows by this many per window that passes. */
const REGROWTH = 3;

interface ZonePermits {
  /** When each permit is free again. */
  freeAt: number[];
  blockedUntil: number;
  drainedAt: number;
  /** How many permits there were right after the last 429. */
  drainedTo: number;
}

/** Permits for one process, by the clock that each call is given. */
export function createMemoryPermits(limits: { permits: number; window: number } = LOGGING_LIMIT): PermitStore {
  const zones = new Map<number, ZonePermits>();

  function permitsOf(zone: number): ZonePermits {
    let permits = zones.get(zone);
    if (!permits) {
      permits = {
        freeAt: Array.from({ length: limits.permits }, () => Number.NEGATIVE_INFINITY),
        blockedUntil: Number.NEGATIVE_INFINITY,
        drainedAt: Number.NEGATIVE_INFINITY,
        drainedTo: limits.permits,
      };
      zones.set(zone, permits);
    }
    return permits;
  }

  function capacityOf(permits: ZonePermits, now: number): number {
    if (permits.drainedTo >= limits.permits) return limits.permits;
    const windows = Math.floor((now - permits.drainedAt) / limits.window);
    return Math.min(limits.permits, permits.drainedTo + windows * REGROWTH);
  }

  return {
    async claim(zone, priority, now) {
      const permits = permitsOf(zone);
      if (permits.blockedUntil > now) return { wait: permits.blockedUntil - now };
      const capacity = capacityOf(permits, now);
      const kept = priority === 'person' ? 0 : Math.min(LOGGING_LIMIT.kept, Math.floor(capacity / 4));
      const taken = permits.freeAt.filter((time) => time > now).sort((a, b) => a - b);
      const excess = taken.length - (capacity - kept);
      if (excess >= 0) return { wait: (taken[excess] ?? now) - now };
      const index = permits.freeAt.findIndex((time) => time <= now);
      permits.freeAt[index] = now + LOGGING_LIMIT.lease + limits.window;
      return { permit: String(index) };
    },

    async release(zone, permit, now) {
      permitsOf(zone).freeAt[Number(permit)] = now + limits.window;
    },

    async drain(zone, now, retryAfter = limits.window) {
      const permits = permitsOf(zone);
      // Several requests under way may all hear 429; that is one event.
      if (now - permits.drainedAt >= limits.window) {
        permits.drainedTo = Math.max(1, Math.floor(capacityOf(permits, now) / 2));
        permits.drainedAt = now;
      }
      permits.blockedUntil = Math.max(permits.blockedUntil, now + retryAfter);
    },
  };
}
