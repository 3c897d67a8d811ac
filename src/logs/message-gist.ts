/*
 * What a message is about, without what it brings along: records and lists, the statement that it repeats, keys that come and go,
 * and the reason of a failure. All of it is another's text, and may be any.
 */

/** A record has keys: `{"id": 7}`, `{a=1}`, `{Status:die ID:…}`; an empty one is one too. */
const RECORD = /[:=]|^\{\S*\}$/;
/** A record of which the end is missing. */
const CUT_OFF = /^\{\s*["':]?[\w.-]+["']?\s*(?:=>?|:)/;
/** More than one name in brackets: `[a, b]`, `[shards started [[logs][0]]]`. */
const LIST = /\[.*[ [,]/;
/** What a database was told to do: `statement: SELECT …`. */
const STATEMENT = /\b((?:statement|query): ).*/is;
/** One of the settings that are told one by one: `Server environment:os.name=Linux`, `Command line argument: -Xmx1g`. */
const SETTING = /^([A-Za-z]+(?: [A-Za-z]+)+: ?)(?:-{0,2}[\w.-]+=.*|-{1,2}\w\S*)$/;
/** From what to what: `unmanaged -> unavailable`. */
const CHANGE = /(?<![\w.-])[\w.-]+ (?:-{1,2}>|=>) [\w.-]+/g;
/** A word among keys that some messages have and others have not: `lip=::1, TLS, session=7`. */
const AMONG_KEYS = /(=[^\s,=]*), ?[A-Za-z]+(?=, ?[\w-]+=)/g;
/** Where something came from, told at the end: `, client: 192.0.2.7, server: shop, request: "GET / HTTP/1.1"`. */
const CONTEXT_KEY = /(, [A-Za-z_]+):( ?)/y;
/** A reason in parentheses, in words: `(Connection refused)`. */
const REMARK = /(?<=[\w'"\]>)] )\((?=[A-Za-z][^()]* )[^()=:\d]*\)/g;

/** A clause that says that something went wrong: what is behind its colon is why. */
const FAILURE =
  /\b(?:fail(?:ed|ure|s|ing)?|err(?:ors?)?|unable|can(?:not|'t)|could(?: not|n't)|exception|reason|because|invalid)\b/i;
/** A clause that says what was being done: `reading the index: …` is how errors are wrapped. */
const DOING = /^\s*[A-Za-z]+ing [A-Za-z]/;
/** A clause that only says how bad it is: what is behind its colon is what happened. */
const LABEL = /^(?:PHP )?(?:fatal|parse|internal|runtime|syntax|unexpected|unknown) error$/i;
/** The reason ends where the next key or another sentence begins. */
const REASON_END = /, (?:[A-Z]|[\w ]{2,30}[:=])/;

/** The message with a 0 for each part that is not its own. */
export function gistOf(message: string): string {
  let text = withoutReason(message.replace(REMARK, '(0)'));
  if (text.includes('{')) text = withoutPieces(text, '{', '}', RECORD);
  if (text.includes('[')) text = withoutPieces(text, '[', ']', LIST);
  return withoutContext(
    text.replace(STATEMENT, '$1 0').replace(SETTING, '$1 0').replace(CHANGE, '0').replace(AMONG_KEYS, '$1'),
  );
}

/** The message with a 0 for its context, when that is two keys or more: read from the end, where no comma lacks a key. */
function withoutContext(text: string): string {
  let kept = text;
  for (let at = text.length - 1, keys = 0; at > 0; at -= 1) {
    if (text[at] === '"') at = text.lastIndexOf('"', at - 1);
    if (text[at] !== ',') continue;
    CONTEXT_KEY.lastIndex = at;
    const [, key, space] = CONTEXT_KEY.exec(text) ?? [];
    if (key === undefined) break;
    keys += 1;
    if (keys > 1 && space !== '') kept = `${text.slice(0, at)}${key}: 0`;
  }
  return kept;
}

/** The message with a 0 for the outermost pieces of the kind between the two marks, also for one that was cut off. */
function withoutPieces(message: string, open: string, close: string, kind: RegExp): string {
  let kept = '';
  let start = 0;
  let depth = 0;
  for (let at = 0; at < message.length; at += 1) {
    const character = message[at];
    if (character === open) {
      if (depth === 0) {
        kept += message.slice(start, at);
        start = at;
      }
      depth += 1;
    }
    if (character !== close || depth === 0) continue;
    depth -= 1;
    if (depth > 0) continue;
    const piece = message.slice(start, at + 1);
    kept += kind.test(piece) ? `${open} 0 ${close}` : piece;
    start = at + 1;
  }
  const rest = message.slice(start);
  return kept + (depth > 0 && CUT_OFF.test(rest) ? `${open} 0 ${close}` : rest);
}

/** The message with a 0 for the reason it gives. */
function withoutReason(text: string): string {
  let start = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (character === '"') {
      // What is quoted has no clauses of the message's.
      at = Math.max(at, text.indexOf('"', at + 1));
      continue;
    }
    if ('([{'.includes(character)) depth += 1;
    if (')]}'.includes(character)) depth -= 1;
    if (depth > 0 || text[at + 1] !== ' ' || !(character === ':' || (character === '-' && text[at - 1] === ' ')))
      continue;
    if (isFollowedByReason(text.slice(start, at), start === 0)) {
      const rest = text.slice(at + 2);
      const end = REASON_END.exec(rest)?.index ?? rest.length;
      return `${text.slice(0, at)}: 0${rest.slice(end)}`;
    }
    start = at + 2;
  }
  return text;
}

function isFollowedByReason(clause: string, isFirst: boolean): boolean {
  const words = clause.match(/[A-Za-z]{2,}/g)?.length ?? 0;
  if (words > 2 && DOING.test(clause)) return true;
  return words > 1 && FAILURE.test(clause) && !(isFirst && LABEL.test(clause));
}
