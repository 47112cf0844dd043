import { setImmediate } from 'node:timers/promises';
import { walkRecords } from '../../maintenance/port.ts';
import { dataOf, type RecordData } from '../../records/port.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import { type WorkspaceOfOrg, workspacesOf } from '../../tenancy/port.ts';

/** How much is looked at: records, among which each workspace counts as one, and what their texts come to. */
export const lookBudget = { records: 10_000, characters: 16 * 1024 * 1024 } as const;

export interface Looked {
  readonly checked: number;
  /** Whether all records were looked at. */
  readonly complete: boolean;
}

/** Shows the records of all workspaces, as far as the budget goes. Other requests are served between any two of them. */
export async function lookAtRecords(
  store: Store,
  { orgCode, entity }: { readonly orgCode: string; readonly entity: CompiledEntity },
  look: (workspace: WorkspaceOfOrg, data: RecordData) => Promise<void>,
): Promise<Looked> {
  const seen = { looks: 0, characters: 0, checked: 0 };
  const isSpent = (): boolean => seen.looks >= lookBudget.records || seen.characters >= lookBudget.characters;
  for await (const workspace of workspacesOf(store, orgCode)) {
    if (isSpent()) return { checked: seen.checked, complete: false };
    seen.looks += 1;
    for await (const records of walkRecords(entity, workspace, { after: undefined, ...readAtOnce }))
      for (const { item } of records) {
        if (isSpent()) return { checked: seen.checked, complete: false };
        seen.looks += 1;
        seen.checked += 1;
        seen.characters += item.value.length;
        await look(workspace, dataOf(entity, item));
        await setImmediate();
      }
  }
  return { checked: seen.checked, complete: true };
}

const readAtOnce = { limit: 200, bytesMax: 1024 * 1024 } as const;

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
