/** Absences that are shorter go unnoticed, in milliseconds. */
const SHORTEST = 1_000;

/** How Slack reaches the bot, and since when: what readiness and `/edge status` say. */
export interface Presence {
  readonly mode: 'socket' | 'http';
  /** Open connections; over HTTP, where Slack comes by itself, one from the start on. */
  connections: number;
  /** Since when there is at least one, or none. */
  since: Date;
  /** The last time without any that lasted, once it was over. */
  away: { from: Date; until: Date } | undefined;
  /** The process ends: nothing new is taken. */
  isStopping: boolean;
}

/** Slack does not reach the bot yet. */
export function createPresence(mode: Presence['mode'], now: Date): Presence {
  return { mode, connections: 0, since: now, away: undefined, isStopping: false };
}

/** Notes how many connections there are now. */
export function sawConnections(presence: Presence, connections: number, now: Date): void {
  const wasAway = presence.connections === 0;
  const isAway = connections === 0;
  const { since: from } = presence;
  if (wasAway && !isAway && now.getTime() - from.getTime() >= SHORTEST) presence.away = { from, until: now };
  if (wasAway !== isAway) presence.since = now;
  presence.connections = connections;
}

/** `Socket Mode, 2 connections`. */
export function presenceWords({ mode, connections }: Presence): string {
  if (mode === 'http') return 'HTTP';
  return `Socket Mode, ${connections === 0 ? 'no connection' : connections === 1 ? '1 connection' : `${connections} connections`}`;
}
