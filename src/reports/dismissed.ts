/** Troubles that somebody said are no problem: by `troubleKey` how bad each was then. */
export type Dismissed = Readonly<Record<string, number>>;

/** The key of a trouble among those of all zones. */
export const troubleKey = ({ zone, kind }: { zone: string | number; kind: string }): string => `${zone}:${kind}`;

/** It was said to be no problem, and is hardly worse than it was then. */
export function isDismissed(
  trouble: { zone: string | number; kind: string; size?: number | undefined },
  dismissed: Dismissed = {},
): boolean {
  const known = dismissed[troubleKey(trouble)];
  // Told again once it is half as bad again.
  return known !== undefined && (trouble.size ?? 0) <= 1.5 * known;
}
