import { isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument } from 'yaml';

/** A mistake in a file, and its line. */
export interface Complaint {
  line: number;
  message: string;
}

/** A file that cannot be used; every complaint at once, in the order of the lines. */
export class FileError extends Error {
  override name = 'FileError';
  readonly complaints: readonly Complaint[];

  constructor(complaints: readonly Complaint[]) {
    const sorted = [...complaints].sort((a, b) => a.line - b.line);
    super(sorted.map(({ line, message }) => `line ${line}: ${message}`).join('\n'));
    this.complaints = sorted;
  }
}

/** A YAML file as values, which remembers on which line each of them stands. */
export interface LinedFile {
  value: unknown;
  /** The line of the value at a path, or of the nearest thing around it. Lines are counted from 1. */
  lineOf(path: readonly PropertyKey[]): number;
}

/** Reads YAML 1.2. Throws FileError for what is no YAML, and for keys that are written twice. */
export function readYaml(text: string): LinedFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, prettyErrors: false });
  const problems = [...document.errors, ...document.warnings];
  if (problems.length > 0) {
    throw new FileError(
      problems.map((problem) => ({ line: lines.linePos(problem.pos[0]).line, message: problem.message })),
    );
  }
  return {
    value: valuesOf(document),
    lineOf(path) {
      let node: ParsedNode | null = document.contents;
      let offset = 0;
      for (const step of path) {
        if (isMap(node)) {
          const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
          if (pair === undefined) break;
          offset = pair.key.range[0];
          node = pair.value;
        } else if (isSeq(node)) {
          // Paths come from what was read here: the item is there.
          node = node.items[Number(step)]!;
          offset = node.range[0];
        } else break;
      }
      return lines.linePos(offset).line;
    },
  };
}

/** The values. YAML lets a few lines stand for billions of them: that is no policy. */
function valuesOf(document: { toJS(): unknown }): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new FileError([{ line: 1, message: error instanceof Error ? error.message : String(error) }]);
  }
}
