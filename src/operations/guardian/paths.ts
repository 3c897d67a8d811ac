/** `items`, `{id}`, or `{name}.json` as the pieces between its parameters. */
interface Node {
  literal: Map<string, Node>;
  any: Node | undefined;
  mixed: Map<string, { pieces: string[]; node: Node }>;
  isEnd: boolean;
}

const createNode = (): Node => ({ literal: new Map(), any: undefined, mixed: new Map(), isEnd: false });

/** In order, with at least one character for each parameter. */
function fits(text: string, pieces: readonly string[]): boolean {
  const [first = '', ...rest] = pieces;
  const last = rest.pop() ?? '';
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at + 1);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.endsWith(last) && text.length - last.length > at;
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that escapes nothing.
    return text;
  }
}

const segmentsOf = (path: string) =>
  path
    .replace(/[?#].*/s, '')
    .split('/')
    .map(decoded);

/** OpenAPI templates (`/items/{id}`, `/files/{name}.json`). A parameter is a segment or a part of one, never empty. */
export function createPathMatcher(templates: readonly string[]): (path: string) => boolean {
  const root = createNode();
  for (const template of templates) {
    let node = root;
    for (const segment of segmentsOf(template)) node = below(node, segment);
    node.isEnd = true;
  }
  return (path) => {
    // All templates at once: no request makes it try them one by one.
    let nodes = new Set([root]);
    for (const segment of segmentsOf(path)) {
      nodes = new Set([...nodes].flatMap((node) => matching(node, segment)));
      if (nodes.size === 0) return false;
    }
    return [...nodes].some((node) => node.isEnd);
  };
}

const matching = ({ literal, any, mixed }: Node, segment: string): Node[] => [
  ...(literal.has(segment) ? [literal.get(segment)!] : []),
  ...(any !== undefined && segment !== '' ? [any] : []),
  ...[...mixed.values()].filter(({ pieces }) => fits(segment, pieces)).map(({ node }) => node),
];

function below(node: Node, segment: string): Node {
  const pieces = segment.split(/\{[^{}]*\}/);
  if (pieces.length === 1) {
    const found = node.literal.get(segment) ?? createNode();
    node.literal.set(segment, found);
    return found;
  }
  if (pieces.length === 2 && pieces.every((piece) => piece === '')) {
    node.any ??= createNode();
    return node.any;
  }
  const found = node.mixed.get(pieces.join('{}')) ?? { pieces, node: createNode() };
  node.mixed.set(pieces.join('{}'), found);
  return found.node;
}
