/** Replaces the query by `?…`, because it may hold secrets. Removes credentials, too. */
export function withoutQuery(address: string): string {
  const cut = address.search(/[?#]/);
  const bare = cut < 0 ? address : `${address.slice(0, cut)}${address[cut] === '?' ? '?…' : ''}`;
  return bare.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1');
}
