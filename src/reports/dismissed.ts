/** By `troubleKey`: how bad a trouble was when somebody pressed *Not a problem*. */
export type Dismissed = Readonly<Record<string, number>>;

export const troubleKey = ({ zone, kind }: { zone: string | number; kind: string }): string => `${zone}:${kind}`;

export function isDismissed(
  trouble: { zone: string | number; kind: string; size?: number | undefined },
  dismissed: Dismissed = {},
): boolean {
  const known = dismissed[troubleKey(trouble)];
  // Reported again once it is 50% worse.
  return known !== undefined && (trouble.size ?? 0) <= 1.5 * known;
}
