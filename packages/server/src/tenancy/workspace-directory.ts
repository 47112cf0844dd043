import { eachItem } from '../store/each-item.ts';
import type { Key, Scope } from '../store/port.ts';
import { json, table } from '../store/table.ts';

/**
 * A workspace as its org knows it. `founding` until everything that it starts with is in its own scope; `removed` from
 * the moment on that no caller is admitted, until its code is free again.
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

const rowsPerRead = 100;

/** The workspaces of an org that are not removed, a step at a time, by code. */
export async function* workspaceRows(orgScope: Scope): AsyncGenerator<WorkspaceRow> {
  for await (const item of eachItem(orgScope, partition, rowsPerRead)) {
    const { value } = workspaceTable.row(orgScope, item);
    if (value.state !== 'removed') yield value;
  }
}
