/** What was not as it should be: counted by kind, with the first of each kind in words. */
export class Findings {
  readonly #kinds = new Map<string, { count: number; readonly examples: string[] }>();

  note(kind: FindingKind, what: string): void {
    const known = this.#kinds.get(kind) ?? { count: 0, examples: [] };
    known.count += 1;
    if (known.examples.length < examplesMax) known.examples.push(`${new Date().toISOString()} ${what.slice(0, 400)}`);
    this.#kinds.set(kind, known);
  }

  count(kind: FindingKind): number {
    return this.#kinds.get(kind)?.count ?? 0;
  }

  /** A line for each example. */
  examples(kind: FindingKind): readonly string[] {
    return this.#kinds.get(kind)?.examples ?? [];
  }
}

/** Each with what it says where nothing of it was found. */
export const findingKinds = {
  'server error': 'no 5xx but 503 while draining',
  'refused token': 'no good token is refused',
  'broken connection': 'no connection breaks but for a restart',
  'wrong answer': 'every call is answered as it has to be',
  'wrong record': 'reads agree with what was written',
} as const;

export type FindingKind = keyof typeof findingKinds;

const examplesMax = 5;
