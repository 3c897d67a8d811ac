/** How the bot can be reached by Slack: what readiness and `/edge status` say. */
export interface Presence {
  /** Open connections; in HTTP mode there are none, and Slack comes by itself. */
  connections: number;
  /** Since when there is at least one, or none. */
  since: Date;
  /** The last time without any, once it was over. */
  away: { from: Date; until: Date } | undefined;
}

/** Nobody is connected yet. */
export function createPresence(now: Date): Presence {
  return { connections: 0, since: now, away: undefined };
}

/** Notes how many connections there are now. */
export function sawConnections(presence: Presence, connections: number, now: Date): void {
  const wasAway = presence.connections === 0;
  const isAway = connections === 0;
  if (wasAway && !isAway) presence.away = { from: presence.since, until: now };
  if (wasAway !== isAway) presence.since = now;
  presence.connections = connections;
}
