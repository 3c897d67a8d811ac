/** By `troubleKey`, how bad each was when somebody said that it is no problem. */
export type Dismissed = Readonly<Record<string, number>>;

export const troubleKey = ({ zone, kind }: { zone: string | number; kind: string }): string => `${zone}:${kind}`;

export function isDismissed(
  trouble: { zone: string | number; kind: string; size?: number | undefined },
  dismissed: Dismissed = {},
): boolean {
  const known = dismissed[troubleKey(trouble)];
  // Told again once it is half as bad again.
  return known !== undefined && (trouble.size ?? 0) <= 1.5 * known;
}
