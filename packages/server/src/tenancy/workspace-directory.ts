import type { Key, Scope } from '../store/port.ts';
import { json, table } from '../store/table.ts';

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

/** By code. */
export const workspaceTable = table(
  workspaceRowKey,
  json<WorkspaceRow>('workspace', { id: 'string', code: 'string', state: 'string' }),
);

/** The workspaces of an org that are not removed, a step at a time, by code. */
export async function* workspaceRows(orgScope: Scope): AsyncGenerator<WorkspaceRow> {
  let after = '';
  for (;;) {
    const rows = await workspaceTable.range(orgScope, partition, { ...(after === '' ? {} : { after }), limit: 100 });
    for (const { sk, value } of rows) {
      if (value.state !== 'removed') yield value;
      after = sk;
    }
    if (rows.length < 100) return;
  }
}
