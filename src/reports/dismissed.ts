/** By `troubleKey`: how bad a trouble was when somebody pressed *Not a problem*. */
export type Dismissed = Readonly<Record<string, number>>;

export const troubleKey = ({ zone, kind }: { zone: string | number; kind: string }): string => `${zone}:${kind}`;

export function isDismissed(
  trouble: { zone: string | number; kind: string; size?: number | undefined },
  dismissed: Dismissed = {},
): boolean {
  const known = dismissed[troubleKey(trouble)];
  return known !== undefined && !isWorse(trouble.size, known);
}

/** Reported again once it is 50% worse. */
export const isWorse = (size: number | undefined, known: number): boolean => (size ?? 0) > 1.5 * known;
