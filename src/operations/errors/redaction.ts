/** An address without user and password before its host, and without what follows `?` or `#`. Other words stay. */
function withoutQuery(word: string): string {
  const scheme = word.indexOf('://');
  const slash = word.indexOf('/', scheme < 0 ? 0 : scheme + 3);
  const authority = scheme < 0 ? '' : word.slice(scheme + 3, slash < 0 ? undefined : slash);
  const at = authority.lastIndexOf('@');
  const bare = at < 0 ? word : word.slice(0, scheme + 3) + word.slice(scheme + 3 + at + 1);
  const end = bare.search(/[?#]/);
  const isAddress = end >= 0 && bare.slice(0, end).includes('/');
  return isAddress && end < bare.length - 1 ? `${bare.slice(0, end)}?…` : bare;
}

/** Text with addresses in it, without their credentials and what follows their question marks: both may hold secrets. */
export function withoutQueries(text: string): string {
  return text.replace(/[^\s"'<>]+/g, withoutQuery);
}
