import {
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parse,
  parseDocument,
  visit,
} from 'yaml';

export interface Complaint {
  line: number;
  message: string;
}

/** All mistakes, by line. */
export class FileError extends Error {
  override name = 'FileError';
  readonly complaints: readonly Complaint[];

  constructor(complaints: readonly Complaint[]) {
    const sorted = [...complaints].sort((a, b) => a.line - b.line);
    super(sorted.map(({ line, message }) => `line ${line}: ${message}`).join('\n'));
    this.complaints = sorted;
  }
}

/** The values of a file, with their lines. */
export interface LinedFile {
  value: unknown;
  /** The nearest line, counted from 1. */
  lineOf(path: readonly PropertyKey[]): number;
  /** All YAML parsers read the scalar as this text or number. */
  isText(path: readonly PropertyKey[]): boolean;
}

/** Reads every scalar as text. Throws FileError, also for what YAML parsers disagree about. `isForeign` allows any key and more aliases. */
export function readYaml(text: string, { isForeign = false } = {}): LinedFile {
  const said: Partial<Record<ErrorCode, string>> = {
    MULTIPLE_DOCS: 'there are several documents: only one can be read.',
    RESOURCE_EXHAUSTION: 'it is nested too deeply.',
  };
  // In JSON with comments `// words` is a comment, in YAML it is text.
  const comment = /^\/[/*].*[\s"]|^(?:true|false|null|[-+.\de]+)\s+\/[/*]/s;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, schema: 'failsafe', prettyErrors: false });
  const complaints = [...document.errors, ...document.warnings].map(({ code, pos, message }) => ({
    line: lines.linePos(pos[0]).line,
    message: said[code] ?? message,
  }));
  const complain = (offset: number, message: string) =>
    complaints.push({ line: lines.linePos(Math.max(0, offset)).line, message });
  const startOf = (node: unknown) => (isNode(node) ? (node.range?.[0] ?? 0) : 0);
  if (document.directives?.yaml.explicit === true)
    complain(text.search(/^%/m), 'a version of YAML cannot be chosen: leave out the line that begins with %.');
  visit(document, {
    Pair(_, { key }) {
      if (!isScalar(key)) complain(startOf(key), 'a key has to be a text.');
      else if (key.value === '<<') complain(startOf(key), 'merge keys cannot be used: write out what << stands for.');
      else if (!isForeign && String(key.value) in {}) complain(startOf(key), `“${key.value}” cannot be a name here.`);
    },
    Node(_, node) {
      if (isAlias(node) && node.resolve(document) === undefined)
        complain(startOf(node), `nothing before is called &${node.source}.`);
      if (isForeign && isScalar(node) && node.type === 'PLAIN' && comment.test(String(node.source)))
        complain(startOf(node), 'a comment begins with # here.');
      const isKnown = isForeign && !isAlias(node) && node.tag?.startsWith('tag:yaml.org,2002:');
      if (!isAlias(node) && node.tag !== undefined && !isKnown)
        complain(startOf(node), 'tags cannot be used: leave out what begins with !.');
    },
  });
  if (complaints.length > 0) throw new FileError(complaints);
  const foundAt = (path: readonly PropertyKey[]) => {
    let node: ParsedNode | null = document.contents;
    let offset = 0;
    for (const step of path) {
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
        if (pair === undefined) break;
        offset = pair.key.range[0];
        node = pair.value;
      } else if (isSeq(node)) {
        // Paths come from what was read here.
        node = node.items[Number(step)]!;
        offset = node.range[0];
      } else break;
    }
    return { node, line: lines.linePos(offset).line };
  };
  return {
    value: valuesOf(document, isForeign ? 10_000 : 100),
    lineOf: (path) => foundAt(path).line,
    isText(path) {
      const { node } = foundAt(path);
      const scalar = isAlias(node) ? node.resolve(document) : node;
      if (!isScalar(scalar) || scalar.type !== 'PLAIN') return true;
      const text = String(scalar.value);
      const value: unknown = parse(text, { schema: 'yaml-1.1' });
      return typeof value === 'string' || (typeof value === 'number' && String(value) === text);
    },
  };
}

/** With aliases a few lines of YAML can stand for billions of values. */
function valuesOf(document: Document.Parsed, maxAliasCount: number): unknown {
  try {
    return document.toJS({ maxAliasCount });
  } catch (error) {
    throw new FileError([{ line: 1, message: error instanceof Error ? error.message : String(error) }]);
  }
}
