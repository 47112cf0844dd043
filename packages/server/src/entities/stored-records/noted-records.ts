/** A record, named to a builder. */
export interface RecordExample {
  readonly tenant_code: string;
  readonly id: string;
}

const examplesMax = 5;

/** Counts records by a name, and keeps the first few of each. */
export class NotedRecords<Example extends RecordExample = RecordExample> {
  readonly #noted = new Map<string, { records: number; readonly examples: Example[] }>();

  note(name: string, example: Example): void {
    const noted = this.#noted.get(name) ?? { records: 0, examples: [] };
    noted.records += 1;
    if (noted.examples.length < examplesMax) noted.examples.push(example);
    this.#noted.set(name, noted);
  }

  of(name: string): { readonly records: number; readonly examples: readonly Example[] } {
    return this.#noted.get(name) ?? { records: 0, examples: [] };
  }
}
