import { setImmediate } from 'node:timers/promises';
import { always, type Where } from '../../lib/where.ts';
import { dataOf, holdingAny, partitionOfRecords, type RecordData, sentinelKey } from '../../records/port.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import { type WorkspaceOfOrg, workspacesOf } from '../../tenancy/port.ts';

/**
 * Bounds of a look: records, among which each workspace counts as one, and the length of their texts. Of the `rows` the
 * store leaves out those that need no look.
 */
export const lookBudget = { rows: 1_000_000, records: 10_000, characters: 16 * 1024 * 1024 } as const;

export interface RecordScan {
  /** By the store alone, where it leaves records out. */
  readonly checked: number;
  /** Whether all records were looked at. */
  readonly complete: boolean;
}

interface LookedAtRecords {
  readonly orgCode: string;
  readonly entity: CompiledEntity;
  /** Holds of each record that `look` has to see. */
  readonly where?: Where;
}

/** Shows the records of all workspaces, as far as the budget goes. Other requests are served between any two of them. */
export async function lookAtRecords(
  store: Store,
  { orgCode, entity, where = always }: LookedAtRecords,
  look: (workspace: WorkspaceOfOrg, data: RecordData) => Promise<void>,
): Promise<RecordScan> {
  const left = { ...lookBudget } as { rows: number; records: number; characters: number };
  let checked = 0;
  for await (const workspace of workspacesOf(store, orgCode)) {
    if (isSpent(left)) return { checked, complete: false };
    left.records -= 1;
    const { pk, ...part } = partitionOfRecords(entity, workspace);
    for (let after: string | undefined = ''; after !== undefined; ) {
      if (isSpent(left)) return { checked, complete: false };
      const { entries, rows, next } = await workspace.scope.select(pk, {
        ...{ ...part, ...(after === '' ? {} : { after }), where, rowsMax: left.rows },
        ...{ limit: Math.min(readAtOnce.limit, left.records), bytesMax: readAtOnce.bytesMax },
      });
      for (const entry of entries) {
        left.records -= 1;
        left.characters -= entry.value.length;
        await look(workspace, dataOf(entity, entry));
        await setImmediate();
      }
      left.rows -= rows;
      checked += rows;
      after = next;
    }
  }
  return { checked, complete: true };
}

function isSpent(left: { readonly rows: number; readonly records: number; readonly characters: number }): boolean {
  return Object.values(left).some((one) => one <= 0);
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

/** Records that a unique index refuses, by its name: each has the values of an earlier one of its workspace. */
interface EqualRecords extends RecordScan {
  readonly found: NotedRecords;
}

/** @param names the unique indexes that are to be built; without one no record is looked at. */
export async function findEqualRecords(
  store: Store,
  { orgCode, entity }: { readonly orgCode: string; readonly entity: CompiledEntity },
  names: readonly string[],
): Promise<EqualRecords> {
  const found = new NotedRecords();
  const uniques = entity.uniques.filter((unique) => names.includes(unique.name) && !unique.isErasing);
  if (uniques.length === 0) return { found, checked: 0, complete: true };
  const taken = new Set<string>();
  // Without a value of some field a record is like no other.
  const where = holdingAny(entity, [...new Set(uniques.flatMap(({ fields }) => fields.map(({ field }) => field)))]);
  const looked = await lookAtRecords(store, { orgCode, entity, where }, async ({ tenantCode }, data) => {
    for (const unique of uniques) {
      const key = sentinelKey(unique, data);
      if (key === undefined) continue;
      const place = JSON.stringify([tenantCode, unique.name, key.sk]);
      if (taken.has(place)) found.note(unique.name, { tenant_code: tenantCode, id: data.id });
      else taken.add(place);
    }
  });
  return { found, ...looked };
}
