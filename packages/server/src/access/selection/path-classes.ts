import type { CompiledStatement } from '../compiled-statement.ts';
import { beginningOf } from '../patterns/resource-glob.ts';

/**
 * Puts paths into classes by the texts that patterns begin with: two paths of one class begin with the same of these
 * texts, and are equal to the same literal pattern or to none.
 */
export class PathClasses {
  readonly #literals = new Set<string>();
  /** In the order of UTF-16 units, in which a text comes before every longer one that begins with it. */
  readonly #beginnings: readonly string[];
  /** For each beginning, where the longest other stands that it begins with; -1 for none. */
  readonly #shorter: readonly number[];

  constructor(statements: readonly CompiledStatement[]) {
    const beginnings = new Set<string>();
    for (const glob of statements.flatMap(({ resources }) => resources)) {
      if (glob.kind === 'literal') this.#literals.add(glob.text);
      else beginnings.add(beginningOf(glob));
    }
    this.#beginnings = [...beginnings].sort(byUnits);
    const shorter: number[] = [];
    for (const [index, text] of this.#beginnings.entries()) shorter.push(this.#longest(text, shorter, index - 1));
    this.#shorter = shorter;
  }

  /** A name of the class: as many as there are patterns, however many paths. */
  classOf(path: string): string {
    if (this.#literals.has(path)) return `=${path}`;
    const longest = this.#longest(path, this.#shorter, this.#lastUpTo(path));
    return longest === -1 ? '' : `^${this.#beginnings[longest]}`;
  }

  /** Where the longest beginning of the text stands, which is no later than `from`. */
  #longest(text: string, shorter: readonly number[], from: number): number {
    let index = from;
    while (index !== -1 && !text.startsWith(this.#beginnings[index] ?? '')) index = shorter[index] ?? -1;
    return index;
  }

  #lastUpTo(path: string): number {
    let [low, high] = [0, this.#beginnings.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#beginnings[middle] ?? '') <= path) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

function byUnits(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
