/** For reading only: names are not unique, and change. */
export interface NamesView {
  person(id: string): Promise<{ name: string; handle?: string | undefined; ids?: readonly string[] } | undefined>;
  channel(id: string): Promise<string>;
}

/** Each asked for once; unknown ids stay. */
export async function peopleCalled(ids: readonly string[], names: NamesView): Promise<Map<string, string>> {
  const distinct = [...new Set(ids)];
  const found = await Promise.all(distinct.map(async (id) => [id, (await names.person(id))?.name ?? id] as const));
  const times = (name: string) => found.filter(([, other]) => other === name).length;
  // Of two with the same name the id says which.
  return new Map(found.map(([id, name]) => [id, times(name) > 1 ? `${name} (${id})` : name]));
}
