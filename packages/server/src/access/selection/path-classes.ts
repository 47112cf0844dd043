import type { CompiledStatement } from '../compiled-statement.ts';
import { beginningOf, endingOf } from '../patterns/resource-glob.ts';

/**
 * Puts paths into classes by the texts that patterns begin and end with: two paths of one class begin with the same of
 * these texts and end with the same, and are equal to the same literal pattern or to none.
 */
export class PathClasses {
  readonly #literals = new Set<string>();
  readonly #beginnings: Beginnings;
  /** Of texts from their end to their beginning; undefined where no pattern asks for an end. */
  readonly #endings: Beginnings | undefined;

  constructor(statements: readonly CompiledStatement[]) {
    const beginnings = new Set<string>();
    const endings = new Set<string>();
    for (const glob of statements.flatMap(({ resources }) => resources)) {
      if (glob.kind === 'literal') {
        this.#literals.add(glob.text);
        continue;
      }
      beginnings.add(beginningOf(glob));
      const ending = endingOf(glob);
      if (ending !== '') endings.add(backwards(ending));
    }
    this.#beginnings = new Beginnings(beginnings);
    this.#endings = endings.size === 0 ? undefined : new Beginnings(endings);
  }

  /** A name of the class, by the patterns alone: there are no more than the patterns make, however many paths. */
  classOf(path: string): string {
    if (this.#literals.has(path)) return `=${path}`;
    const beginning = this.#beginnings.longestOf(path);
    return this.#endings === undefined ? beginning : `${beginning} ${this.#endings.longestOf(backwards(path))}`;
  }
}

/** Texts that others may begin with. */
class Beginnings {
  /** In the order of UTF-16 units, in which a text comes before every longer one that begins with it. */
  readonly #texts: readonly string[];
  /** For each text, where the longest other stands that it begins with; -1 for none. */
  readonly #shorter: readonly number[];

  constructor(texts: ReadonlySet<string>) {
    this.#texts = [...texts].sort(byUnits);
    const shorter: number[] = [];
    for (const [index, text] of this.#texts.entries()) shorter.push(this.#longest(text, shorter, index - 1));
    this.#shorter = shorter;
  }

  /** The place of the longest one that the text begins with; another text where there is none. */
  longestOf(text: string): string {
    return `^${this.#longest(text, this.#shorter, this.#lastUpTo(text))}`;
  }

  /** Where the longest stands that the text begins with, which is no later than `from`. */
  #longest(text: string, shorter: readonly number[], from: number): number {
    let index = from;
    while (index !== -1 && !text.startsWith(this.#texts[index] ?? '')) index = shorter[index] ?? -1;
    return index;
  }

  #lastUpTo(text: string): number {
    let [low, high] = [0, this.#texts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#texts[middle] ?? '') <= text) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** By UTF-16 units. */
function backwards(text: string): string {
  let made = '';
  for (let index = text.length - 1; index >= 0; index--) made += text[index];
  return made;
}

function byUnits(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
