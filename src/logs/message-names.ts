/*
 * Which words of a message are names, as far as their form and place say: nothing here knows any names. A name that is passed
 * over makes two groups of one; a word of the program's that is taken for a name makes no difference, as long as there are other
 * words that tell its message from others. So only messages with enough words of their own are looked at.
 */

/** So many words that are plain English keep a message apart from others. */
const ENOUGH = 2;

/** What says nothing by itself. */
const GRAMMAR = /^(?:a|an|the|and|or|of|in|on|at|to|for|from|by|with|as|is|are|was|were|be|has|have|had|not|no)$/i;

const PLAIN = /^(?:[A-Z]?[a-z]{2,}(?:'[a-z]+)?|[A-Z]{2,})[.!?]?$/;
/** `search-api`, `feed_ranker`, `a.b`, `a/b`; `App\Order`. */
const JOINED =
  /^(?:[a-z]+(?:[-_.]+[a-z]+)+|\\?[A-Za-z_]\w*(?:\\+\w+)+|[\w-]{2,}(?:\.[\w$-]{2,})+|[\w.-]+(?:\/[\w.-]+)+)\.?$/;
const LETTERS = /^[A-Za-z_]+\.?$/;
const CHANGING_CASE = /_[A-Za-z]|[A-Za-z]_|[a-z][A-Z]|[A-Z]{2}[a-z]/;

/** What a program calls its own parts: `readBlock`, `Cache::evict`. */
const IDENTIFIER = /^(?:[a-z]+[A-Z]\w*|\w+(?:::~?\w+)+)[.!?]?$/;

/** A number of the program's for what it says: `ORA-00942:`, `AH01630:`. Hexadecimal digits alone may be any id. */
const CODE = /^(?=.*[G-Z])[A-Z]{2,4}-?\d{3,6}$/;
const CAPITALS = /^[A-Z][A-Z\d]+$/;
const SMALL = /^[a-z]{2,}\.?$/;

const PREPOSITION = /^(?:to|from|for|with|on|in|by|via|of|at|into|be)$/;
const VERB = /^(?:is|are|was|were|has|have|had|does|did|do|will|can|cannot|could|not)$/;
/** What doesn't belong to the words before: the end of a phrase. */
const NEXT_PHRASE =
  /^(?:\W.*|to|from|for|with|on|in|by|via|of|at|as|into|and|or|because|when|while|after|before|until|since|that|which|due|\w+(?:ed|ing)\.?)$/;
/** `it is …`, `there is …`, `could not …`: those are no names. */
const NO_SUBJECT = /^(?:there|it|this|that|what|which|who|and|or|is|was|has|did|does|can|could|will|would|should)$/i;

/** What went wrong is no name, however it is written. */
const TROUBLE = /(?:Exception|Error)$/;
/** What is named by the word behind. */
const KIND = (() => {
  const kinds = [
    'action|app|step|argument|attribute|backend|broker|bucket|channel|cipher|class|client|cluster|collection|column|command|consumer',
    'container|database|device|directive|domain|endpoint|event|field|file|filter|flag|format|function|group|header|host|image',
    'interface|job|key|keyspace|label|listener|member|method|metric|mode|module|name|namespace|node|object|operation|option',
    'parameter|partition|peer|plugin|pod|policy|pool|producer|program|property|protocol|proxy|queue|realm|region|role|rule|schema',
    'script|server|service|set|state|status|store|stream|table|tag|task|tenant|thread|topic|tunnel|type|upstream|variable|version',
    'vhost|volume|worker|zone',
  ].join('|');
  return new RegExp(`^(?:${kinds})$`, 'i');
})();
/** What only goes on with the sentence: a word of grammar, of state, or another such word; what was done, and how. */
const GOES_ON = (() => {
  const words = [
    'a|an|the|and|or|but|of|in|on|at|to|for|from|by|with|without|as|than|then|while|when|after|before|until|because|due|via|into',
    'up|down|this|that|it|its|too|all|any|not|no|is|are|was|were|be|been|being|has|have|had|does|do|did|can|cannot|could|will',
    'would|may|might|must|should|going|full|empty|ready|available|unavailable|busy|healthy|unhealthy|online|offline|missing',
    'pending|restarting|stopping|starting|running|failing|waiting|terminating|creating|deleting|draining',
    'name|names|id|ids|key|size|type|list|set|status|state|error|errors|server|servers|manager|timeout|file|version|policy|limit',
    'lock|scan|options|settings|members|records|rows|entries|columns|[a-z]+(?:ed|ly)',
  ].join('|');
  return new RegExp(`^(?:${words})\\.?$`, 'i');
})();
/** Big letters alone are an abbreviation: the program's own. */
const WORD = /^[A-Z]?[a-z]+\.?$/;
/** What a sentence may end with and be about nothing in particular: adverbs, adjectives, what was done. */
const ENDING = /(?:ed|ing|ly|able|ible|ful|ent|ive|al|own|ost)\.?$/;

/** What encloses a name alone. */
const CLOSED_BY = new Map([
  ['[', ']'],
  ['(', ')'],
  ['{', '}'],
  ['|', '|'],
]);

/** Which of the words are names; fewer, where too little would be left to tell this message from others. */
export function namesIn(words: readonly string[]): boolean[] {
  const names = words.map((_, index) => isName(words, index));
  const own = words.filter((word, index) => names[index] === false && isOwnWord(word)).length;
  if (own >= ENOUGH) return names;
  // Where little else is said, what comes first says it.
  return names.map((name, index) => name && index > 0 && (own > 0 || isClosed(words, index)));
}

/** Whether the word at `index` is the number that the program gives to messages of this kind. */
export function isCode(words: readonly string[], index: number): boolean {
  return index === 0 && words[1] === ':' && CODE.test(words[0] ?? '');
}

function isOwnWord(word: string): boolean {
  return (PLAIN.test(word) || IDENTIFIER.test(word)) && !GRAMMAR.test(word);
}

/** Whether the word at `index` is a name by its form, by what is around it, or by its place in the sentence. */
function isName(words: readonly string[], index: number): boolean {
  const word = words[index] ?? '';
  const before = words[index - 1] ?? '';
  const after = words[index + 1];
  if (!/\w/.test(word) || after === '=' || TROUBLE.test(word) || word.includes('::')) return false;
  if (index === 0 && IDENTIFIER.test(word)) return false;
  if (index > 1 && after === undefined && before === 'is' && CAPITALS.test(word)) return true;
  // `parsing NOTIFY payload`: big letters in the midst of a sentence are one of several.
  if (index > 0 && CAPITALS.test(word) && SMALL.test(before) && SMALL.test(after ?? '')) return true;
  if (isJoined(word) || isClosed(words, index)) return true;
  return index === 0 ? isSubject(word, after) : isObject(words, index, before, after);
}

/** Also `OrderService`, `MAX_SIZE`. */
const isJoined = (word: string): boolean => JOINED.test(word) || (LETTERS.test(word) && CHANGING_CASE.test(word));

/** `nginx: …`, `checkout is …`. */
function isSubject(word: string, after: string | undefined): boolean {
  return after === ':' || (after !== undefined && VERB.test(after) && !NO_SUBJECT.test(word));
}

function isObject(words: readonly string[], index: number, before: string, after: string | undefined): boolean {
  const word = words[index] ?? '';
  const isLast = after === undefined;
  if (index > 2 && before === ':' && (isLast || /^[,).|}\]]$/.test(after))) {
    // `status: down` is a value; `backend images: down` is a sentence.
    return !(GOES_ON.test(word) && isName(words, index - 2));
  }
  if (index > 2 && before === ':' && !isLast && PREPOSITION.test(after) && !GOES_ON.test(word) && /^[a-z]+$/.test(word))
    return true;
  if (index > 2 && PREPOSITION.test(before)) {
    if ((isLast || /^[.,;:[({]$/.test(after)) && !GOES_ON.test(word)) return true;
    if (!isLast && (PREPOSITION.test(after) || VERB.test(after)) && /^[a-z]+$/.test(word) && !ENDING.test(word))
      return true;
  }
  if (KIND.test(before) && (isLast || NEXT_PHRASE.test(after) || VERB.test(after))) {
    if (WORD.test(word) && !GOES_ON.test(word)) return true;
  }
  return isLast && index > 3 && !VERB.test(before) && /^[a-z]+\.?$/.test(word) && !ENDING.test(word);
}

function isClosed(words: readonly string[], index: number): boolean {
  const after = words[index + 1];
  return after !== undefined && CLOSED_BY.get(words[index - 1] ?? '') === after;
}
