import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vitest/node';

/** The repository's own folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Every TypeScript file of a folder, by its path from the root. */
export function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

/** The text of a file, by its path from the root. */
export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** One import of another file of the repository. */
export interface Import {
  from: string;
  to: string;
}

/** What a file imports of the repository, types too. */
export function importsOf(file: string): Import[] {
  return [...read(file).matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map((found) => ({
    from: file,
    to: relative(root, resolve(root, dirname(file), found[1]!)),
  }));
}

/** Files that import one another in a circle: each circle once, as its files in order. */
export function circlesIn(imports: readonly Import[]): string[][] {
  const next = new Map<string, string[]>();
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const circles = new Map<string, string[]>();
  const visit = (file: string, path: readonly string[]) => {
    const at = path.indexOf(file);
    if (at !== -1) {
      const circle = path.slice(at);
      circles.set([...circle].sort().join(' '), circle);
    } else if (!done.has(file)) {
      for (const one of next.get(file) ?? []) visit(one, [...path, file]);
      done.add(file);
    }
  };
  for (const file of next.keys()) visit(file, []);
  return [...circles.values()];
}

/** A piece of a program: its kind, where it stands in the text, and its parts. */
export interface Piece {
  type: string;
  start: number;
  end: number;
  [part: string]: unknown;
}

const programs = new Map<string, unknown>();

/** The language of a program, by the name of its file. */
export type Language = 'ts' | 'tsx';

/** Tells of every piece of a program, each with those that it stands in (the outermost first, only for as long as it is told). */
export function eachPiece(
  text: string,
  tell: (piece: Piece, within: readonly Piece[]) => void,
  lang: Language = 'ts',
): void {
  const program = programs.get(text) ?? parseAst(text, { lang });
  programs.set(text, program);
  const within: Piece[] = [];
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const one of value) visit(one);
      return;
    }
    const isPiece = 'type' in value && 'start' in value;
    if (isPiece) tell(value as Piece, within);
    if (isPiece) within.push(value as Piece);
    for (const part in value) visit(value[part as keyof typeof value]);
    if (isPiece) within.pop();
  };
  visit(program);
}

/** The line of a place in a text, counted from 1. */
export const lineAt = (text: string, place: number): number => text.slice(0, place).split('\n').length;

/** The sentences of all comments, each with the line where its comment begins. */
export function sentencesIn(text: string): { line: number; sentence: string }[] {
  return [...text.matchAll(/\/\*\*?([\s\S]*?)\*\/|(?:^[ \t]*\/\/[^\n]*\n)+/gm)].flatMap((found) => {
    const words = found[0]
      .replace(/^\s*(\/\*\*?|\*\/|\*|\/\/) ?/gm, ' ')
      .replace(/\*\/\s*$/, '')
      .replace(/\s+/g, ' ')
      .trim();
    const line = lineAt(text, found.index);
    return words.split(/(?<=[.!?;]) (?=[A-Z])/).map((sentence) => ({ line, sentence }));
  });
}
