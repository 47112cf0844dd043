import type { Key, Scope } from '../store/port.ts';

/** A workspace as its org knows it. `founding` until everything that it starts with is in its own scope. */
export interface WorkspaceRow {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly state: 'founding' | 'ready';
  readonly created_at: string;
}

const partition = 'workspace';

export function workspaceRowKey(code: string): Key {
  return { pk: partition, sk: code };
}

/** The workspaces of an org, a step at a time, by code. */
export async function* workspaceRows(orgScope: Scope): AsyncGenerator<WorkspaceRow> {
  let after = '';
  for (;;) {
    const items = await orgScope.range(partition, { ...(after === '' ? {} : { after }), limit: 100 });
    for (const item of items) {
      yield JSON.parse(item.value) as WorkspaceRow;
      after = item.sk;
    }
    if (items.length < 100) return;
  }
}
