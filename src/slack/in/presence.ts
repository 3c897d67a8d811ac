/** Whether and how Slack reaches the bot, for readiness and `/edge status`. */
export interface Presence {
  readonly mode: 'socket' | 'http';
  /** Always 1 over HTTP, where Slack opens the connections. */
  connections: number;
  since: Date;
  away: { from: Date; until: Date } | undefined;
  /** Milliseconds between Slack's stamp and the arrival of the last stamped payload. */
  lateness: number | undefined;
  isStopping: boolean;
}

export function createPresence(mode: Presence['mode'], now: Date): Presence {
  return { mode, connections: 0, since: now, away: undefined, lateness: undefined, isStopping: false };
}

export function sawConnections(presence: Presence, connections: number, now: Date): void {
  const wasAway = presence.connections === 0;
  const isAway = connections === 0;
  const { since: from } = presence;
  if (wasAway && !isAway && now.getTime() - from.getTime() >= 1_000) presence.away = { from, until: now };
  if (wasAway !== isAway) presence.since = now;
  presence.connections = connections;
}

export function presenceWords({ mode, connections }: Presence): string {
  if (mode === 'http') return 'HTTP';
  return `Socket Mode, ${connections === 0 ? 'no connection' : connections === 1 ? '1 connection' : `${connections} connections`}`;
}

/** `, 12 s late`; empty while Slack is on time. */
export const latenessWords = ({ lateness = 0 }: Presence): string =>
  // Slack’s stamps are whole seconds of its own clock.
  lateness < 3_000 ? '' : `, ${Math.round(lateness / 1_000)} s late`;
