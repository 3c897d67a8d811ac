/** Absences that are shorter go unnoticed, in milliseconds. */
const SHORTEST = 1_000;
/** Slack stamps whole seconds, by a clock of its own: so much later is still on time, in milliseconds. */
const ON_TIME = 3_000;

/** How Slack reaches the bot, and since when: what readiness and `/edge status` say. */
export interface Presence {
  readonly mode: 'socket' | 'http';
  /** Open connections; over HTTP, where Slack comes by itself, one from the start on. */
  connections: number;
  /** Since when there is at least one, or none. */
  since: Date;
  /** The last time without any that lasted, once it was over. */
  away: { from: Date; until: Date } | undefined;
  /** How much later than Slack's stamp the last stamped payload came, in milliseconds. */
  lateness: number | undefined;
  /** The process ends: nothing new is taken. */
  isStopping: boolean;
}

/** Slack does not reach the bot yet. */
export function createPresence(mode: Presence['mode'], now: Date): Presence {
  return { mode, connections: 0, since: now, away: undefined, lateness: undefined, isStopping: false };
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

/** Notes how much later than Slack's stamp a payload came, in milliseconds. */
export function sawLateness(presence: Presence, milliseconds: number): void {
  presence.lateness = Math.max(0, milliseconds);
}

/** `, 12 s late`; nothing while Slack is on time. */
export const latenessWords = ({ lateness = 0 }: Presence): string =>
  lateness < ON_TIME ? '' : `, ${Math.round(lateness / 1_000)} s late`;
