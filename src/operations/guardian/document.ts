import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from 'yaml';

/** An alias is the very item that it stands for. */
export interface Item {
  /** As written: `3.0` stays that. Undefined for null. */
  text?: string | undefined;
  fields?: Map<string, { line: number; item: Item }>;
  list?: Item[];
  /** Characters, with every alias expanded. */
  size: number;
}

/** Why a text is no definition, as the end of a sentence. */
export class OutlineError extends Error {
  override name = 'OutlineError';
}

const LONGEST_QUOTE = 100;

/** Booleans in YAML 1.1, text in YAML 1.2. */
const OLD_BOOLEAN = /^(yes|no|on|off)$/i;

export const quoted = (text: string) => (text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text);

/** Throws OutlineError, with the line, for what readers disagree about. */
export const documentOf = (content: string): Item => readJson(content) ?? readYaml(content);

/** Ten times as fast. Undefined: no JSON, or not the same to every reader. */
function readJson(content: string): Item | undefined {
  try {
    if (!content.trimStart().startsWith('{')) return undefined;
    JSON.parse(content);
  } catch {
    return undefined;
  }
  const tokens = content.matchAll(/[{}[\]]|"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+/g);
  let line = 1;
  let lineEnd = content.indexOf('\n');
  let isOneToAll = true;
  const next = (): string => {
    const { 0: token, index } = tokens.next().value!;
    for (; lineEnd !== -1 && lineEnd < index; lineEnd = content.indexOf('\n', lineEnd + 1)) line += 1;
    return token;
  };
  const read = (token: string): Item => {
    if (token === '{') {
      const fields: Item['fields'] = new Map();
      let size = 0;
      for (let key = next(); key !== '}'; key = next()) {
        const name: string = JSON.parse(key);
        const at = line;
        isOneToAll &&= name !== '<<' && !fields.has(name);
        const item = read(next());
        fields.set(name, { line: at, item });
        size += name.length + item.size;
      }
      return { fields, size };
    }
    if (token === '[') {
      const list: Item[] = [];
      for (let one = next(); one !== ']'; one = next()) list.push(read(one));
      return { list, size: list.reduce((sum, { size }) => sum + size, 1) };
    }
    const text: string = token.startsWith('"') ? JSON.parse(token) : token;
    return { text: token === 'null' ? undefined : text, size: 1 + text.length };
  };
  const root = read(next());
  return isOneToAll ? root : undefined;
}

function readYaml(content: string): Item {
  const lines = new LineCounter();
  // JSON is YAML. Keys are compared below, as text.
  const document = parseDocument(content, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const refuse = (offset: number, why: string): never => {
    throw new OutlineError(`line ${lines.linePos(offset).line} ${why}`);
  };
  const comment = 'has a comment that begins with // or /*, which neither JSON nor YAML knows';

  const first = lines.lineStarts[content.split('\n').findIndex((line) => !/^\s*(#|$)/.test(line))] ?? 0;
  if (content[first] === '%') refuse(first, 'is a directive, which not every reader follows');
  const error = document.errors[0];
  if (error !== undefined) {
    const [offset] = error.pos;
    if (error.code === 'MULTIPLE_DOCS') refuse(offset, 'begins a second document, and the platform takes one');
    if (/^\/[/*]/.test(content.slice(offset).trimStart())) refuse(offset, comment);
    refuse(offset, `is not valid JSON or YAML: ${quoted(error.message).replace(/[.:]$/, '')}`);
  }

  // Like JSON, where YAML takes a comment for text.
  const isBraced = !isMap(document.contents) || document.contents.flow === true;
  const anchors = new Map<string, Item | 'open'>();

  const readKey = (key: unknown, offset: number): string => {
    if (!isScalar(key) || typeof key.source !== 'string') return refuse(offset, 'has a key that is no text');
    const { source, value } = key;
    read(key, offset);
    if (source === '<<') return refuse(offset, 'has a merge key (<<), which some readers follow and others drop');
    const isOneText = typeof value === 'string' ? !OLD_BOOLEAN.test(source) : String(value) === source;
    if (key.type === 'PLAIN' && (!isOneText || typeof value === 'boolean' || value === null)) {
      return refuse(
        offset,
        `has the key ${quoted(source) || 'null'} without quotes, which not every reader takes for text`,
      );
    }
    return source;
  };

  const readMap = (map: YAMLMap<unknown, unknown>, start: number): Item => {
    const fields: Item['fields'] = new Map();
    let size = 0;
    for (const { key, value } of map.items) {
      const offset = offsetOf(key) ?? offsetOf(value) ?? start;
      const name = readKey(key, offset);
      if (fields.has(name)) refuse(offset, `has the key ${quoted(name)} for the second time`);
      const item = read(value, offset);
      const isOld = isScalar(value) && value.type === 'PLAIN' && OLD_BOOLEAN.test(value.source ?? '');
      // Keys that change what requests are let through.
      if (
        isOld &&
        ['required', 'nullable', 'additionalProperties', 'exclusiveMinimum', 'exclusiveMaximum'].includes(name)
      )
        refuse(offset, `says ${name}: ${item.text}, which is true or false to some readers`);
      fields.set(name, { line: lines.linePos(offset).line, item });
      size += name.length + item.size;
    }
    return { fields, size };
  };

  const readAlias = (source: string, offset: number): Item => {
    const item = anchors.get(source);
    if (item === undefined) return refuse(offset, `has the alias *${quoted(source)}, which stands for nothing`);
    return item === 'open' ? refuse(offset, `has the alias *${quoted(source)}, which contains itself`) : item;
  };

  const readContent = (node: unknown, offset: number): Item => {
    if (isMap(node)) return readMap(node, offset);
    if (isSeq(node)) {
      const list = node.items.map((child) => read(child, offset));
      return { list, size: list.reduce((sum, child) => sum + child.size, 1) };
    }
    if (!isScalar(node)) return { size: 1 };
    const isPlain = node.type === 'PLAIN';
    const text = isPlain ? node.source : String(node.value);
    if (isPlain && isBraced && /(?:^|\s)\/[/*]/.test(text ?? '')) refuse(offset, comment);
    return { text: node.value === null ? undefined : text, size: 1 + (text?.length ?? 0) };
  };

  const read = (node: unknown, start: number): Item => {
    const offset = offsetOf(node) ?? start;
    if (isAlias(node)) return readAlias(node.source, offset);
    const { tag, anchor } = (node ?? {}) as Partial<Pick<Node & { anchor: string }, 'tag' | 'anchor'>>;
    if (tag !== undefined && !/^tag:yaml\.org,2002:(str|int|float|bool|null|map|seq)$/.test(tag))
      refuse(offset, `has the tag ${quoted(tag)}, which not every reader knows`);
    if (anchor !== undefined) anchors.set(anchor, 'open');
    const item = readContent(node, offset);
    if (anchor !== undefined) anchors.set(anchor, item);
    return item;
  };

  const root = read(document.contents, 0);
  if (root.size > 20 * 1024 * 1024) throw new OutlineError('its aliases make more than 20 MB of it');
  return root;
}

const offsetOf = (node: unknown): number | undefined => (node as Partial<Node> | null | undefined)?.range?.[0];
