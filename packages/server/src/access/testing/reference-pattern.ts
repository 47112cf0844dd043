import type { AccessContext } from '../context/context.ts';
import { isKey, isUnknown, readingsOf, valuesOf } from './reference-context.ts';

/** A letter that stands for itself, or one of the two wildcards. */
export type PatternSymbol = string | typeof anyRun | typeof anyOne;
export const anyRun = { stands: 'for any run of letters, also none' } as const;
export const anyOne = { stands: 'for exactly one letter' } as const;

/** Both as lists of code points. */
export function patternFits(pattern: readonly PatternSymbol[], subject: readonly string[]): boolean {
  // The number of letters of the subject that the symbols read so far may have taken.
  let taken: readonly number[] = [0];
  for (const symbol of pattern) {
    const next = taken.flatMap((count) => {
      if (symbol === anyRun) return Array.from({ length: subject.length - count + 1 }, (_, more) => count + more);
      return count < subject.length && (symbol === anyOne || symbol === subject[count]) ? [count + 1] : [];
    });
    taken = [...new Set(next)];
  }
  return taken.includes(subject.length);
}

export function withWildcards(text: string): readonly PatternSymbol[] {
  return Array.from(text, (letter) => (letter === '*' ? anyRun : letter === '?' ? anyOne : letter));
}

/** A piece of a pattern: text as written, `${*}` and its like, or `${key, 'default'}`. */
type Piece =
  | { readonly text: string }
  | { readonly escaped: string }
  | { readonly key: string; readonly otherwise: string | undefined };

/** `undefined` when a `${` does not end well, or asks for what may not be asked for. */
export function readPieces(text: string): readonly Piece[] | undefined {
  const [head = '', ...tails] = text.split('$' + '{');
  const pieces: (Piece | undefined)[] = [{ text: head }];
  for (const tail of tails) {
    const [inside = '', ...after] = tail.split('}');
    if (after.length === 0) return undefined;
    pieces.push(readVariable(inside), { text: after.join('}') });
  }
  return pieces.includes(undefined) ? undefined : pieces.filter((piece) => piece !== undefined);
}

function readVariable(inside: string): Piece | undefined {
  if (['*', '?', '$'].includes(inside)) return { escaped: inside };
  const [key = '', ...rest] = inside.split(',');
  if (!isKey(key) || key.trim() !== key) return undefined;
  if (rest.length === 0) return { key, otherwise: undefined };
  const quoted = rest.join(',').trim();
  const isQuoted = quoted.length >= 2 && quoted.startsWith("'") && quoted.endsWith("'");
  return isQuoted && !quoted.slice(1, -1).includes("'") ? { key, otherwise: quoted.slice(1, -1) } : undefined;
}

/**
 * Whether some variable of the text could mean one thing as well as another, as names differ in nothing but case, or its
 * value is not known.
 */
export function isTwofold(text: string, context: AccessContext): boolean {
  return (readPieces(text) ?? []).some((piece) => 'key' in piece && couldDiffer(piece.key, context));
}

function couldDiffer(key: string, context: AccessContext): boolean {
  return isUnknown(key, context) || readingsOf(key, context).length > 1;
}

/**
 * The pattern for this request; `undefined` when a variable of it has no value, or several. `as` says what
 * `*` and `?` are where they are written; in a value they are letters. A variable that could mean this or that is any run.
 */
export function resolve(
  pieces: readonly Piece[],
  context: AccessContext,
  as: 'wildcards' | 'letters',
): readonly PatternSymbol[] | undefined {
  const symbols = pieces.map((piece) => {
    if ('text' in piece) return as === 'wildcards' ? withWildcards(piece.text) : Array.from(piece.text);
    if ('escaped' in piece) return [piece.escaped];
    if (couldDiffer(piece.key, context)) return [anyRun];
    const values = valuesOf(piece.key, context);
    const text = values.length === 0 ? piece.otherwise : values.length === 1 ? textOf(values[0]) : undefined;
    return text === undefined ? undefined : Array.from(text);
  });
  return symbols.includes(undefined) ? undefined : symbols.flatMap((some) => some ?? []);
}

/** The text that String operators see of a value; nothing of objects and of lists in lists. */
export function textOf(value: unknown): string | undefined {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' || value === undefined ? undefined : String(value);
}
