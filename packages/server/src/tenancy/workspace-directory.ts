import type { Key, Scope } from '../store/port.ts';

/**
 * A workspace as its org knows it. `founding` until everything that it starts with is in its own scope; `removed` from
 * the moment on that nobody is let in any more, until its code is free again.
 */
export interface WorkspaceRow {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly state: 'founding' | 'ready' | 'removed';
  readonly created_at: string;
}

const partition = 'workspace';

export function workspaceRowKey(code: string): Key {
  return { pk: partition, sk: code };
}

/** The workspaces of an org that are not removed, a step at a time, by code. */
export async function* workspaceRows(orgScope: Scope): AsyncGenerator<WorkspaceRow> {
  let after = '';
  for (;;) {
    const items = await orgScope.range(partition, { ...(after === '' ? {} : { after }), limit: 100 });
    for (const item of items) {
      const row = JSON.parse(item.value) as WorkspaceRow;
      if (row.state !== 'removed') yield row;
      after = item.sk;
    }
    if (items.length < 100) return;
  }
}
