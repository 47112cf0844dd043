import { setImmediate } from 'node:timers/promises';
import { nextRecords } from '../../maintenance/port.ts';
import type { RecordData } from '../../records/port.ts';
import { dataOf, directPartition } from '../../records/port.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { Item, Scope, Store } from '../../store/port.ts';
import { orgScopeName, workspaceRows, workspaceScopeName } from '../../tenancy/port.ts';

/** How much is looked at: records, among which each workspace counts as one, and what their texts come to. */
export const lookBudget = { records: 10_000, characters: 16 * 1024 * 1024 } as const;

export interface Looked {
  readonly checked: number;
  /** Whether all records were looked at. */
  readonly complete: boolean;
}

/** The workspace of a record. */
export interface LookedAt {
  readonly orgCode: string;
  readonly tenantCode: string;
  readonly scope: Scope;
}

/** Shows the records of all workspaces, as far as the budget goes. Other requests are served between any two of them. */
export async function lookAtRecords(
  store: Store,
  { orgCode, entity }: { readonly orgCode: string; readonly entity: CompiledEntity },
  look: (place: LookedAt, data: RecordData) => Promise<void>,
): Promise<Looked> {
  const seen = { looks: 0, characters: 0, checked: 0 };
  const isSpent = (): boolean => seen.looks >= lookBudget.records || seen.characters >= lookBudget.characters;
  for await (const { code } of workspaceRows(store.scope(orgScopeName(orgCode)))) {
    if (isSpent()) return { checked: seen.checked, complete: false };
    seen.looks += 1;
    const place = { orgCode, tenantCode: code, scope: store.scope(workspaceScopeName(orgCode, code)) };
    for await (const item of recordItems(entity, place)) {
      if (isSpent()) return { checked: seen.checked, complete: false };
      seen.looks += 1;
      seen.checked += 1;
      seen.characters += item.value.length;
      await look(place, dataOf(item));
      await setImmediate();
    }
  }
  return { checked: seen.checked, complete: true };
}

const readAtOnce = { limit: 200, bytesMax: 1024 * 1024 } as const;

async function* recordItems(entity: CompiledEntity, workspace: LookedAt): AsyncGenerator<Item> {
  const partition = directPartition(entity, workspace);
  let after: string | undefined;
  for (;;) {
    const records = await nextRecords(workspace.scope, entity, { ...readAtOnce, partition, after });
    if (records.length === 0) return;
    for (const { item } of records) yield item;
    after = records.at(-1)?.place;
  }
}
