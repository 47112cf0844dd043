import type { AuditActor } from '../../audit/audit-entry.ts';
import { type ConfigItem, itemKey } from '../../config/port.ts';
import type { Change, Key, Put, Scope } from '../../store/port.ts';
import { json, table } from '../../store/table.ts';
import type { ConfigKinds } from '../config-kind.ts';
import { bodyKeys } from '../items/item-bodies.ts';
import { baseOf } from './agreed-base.ts';

/** An item that waits to become live in production, frozen as it was when it was published. */
export interface StagedItem extends ConfigItem {
  readonly change: 'put' | 'remove';
  /** Of a put the version under which its bodies lie in production. */
  readonly body: number;
  /** The version in test that it was frozen from; 0 of a removal. */
  readonly test_version: number;
  readonly release_id: string;
  readonly staged_at: string;
  readonly staged_by: AuditActor;
  readonly note?: string;
  /** Why it was staged with others without being named. */
  readonly reason?: string;
}

/** A staged item, and the version of the row that says so. */
export interface StagedRow {
  readonly staged: StagedItem;
  readonly rowVersion: number;
}

const stagedRows = 'deploy;staged';

/** Becomes another one with everything that is staged or withdrawn. */
export const stagingKey: Key = { pk: 'deploy', sk: 'staging' };
export const stagingMoves: Put = { kind: 'put', ...stagingKey, value: '{}', if: 'any' };

/** Counts publications: a body is never written under a number that another had. */
export const publicationCounter: Key = { pk: 'deploy', sk: 'publications' };

export const stagedItems = table(
  (item: ConfigItem) => ({ pk: stagedRows, sk: itemKey(item) }),
  json<StagedItem>('staged item', { kind: 'string', name: 'string', change: 'string', body: 'number' }),
);

/** Makes a commit that unstages all items fail if others were staged meanwhile. */
export const nothingLeftStaged: Change = { kind: 'check-empty', pk: stagedRows, prefix: '' };

export async function readStaged(scope: Scope): Promise<readonly StagedRow[]> {
  const rows = await stagedItems.range(scope, stagedRows, { limit: stagedMax });
  return rows.map(({ value, version }) => ({ staged: value, rowVersion: version }));
}

/** As many as an org may have items of all kinds. */
const stagedMax = 10_000;

/** Takes what was never live away with its bodies; a conflict where it has just become live or was staged again. */
export function unstage(kinds: ConfigKinds, { staged, rowVersion }: StagedRow): readonly Change[] {
  const keys = staged.change === 'put' ? bodyKeys(kinds, staged, staged.body) : [];
  return [
    stagedItems.remove(staged, { version: rowVersion }),
    ...keys.map((key): Change => ({ kind: 'remove', ...key, if: 'any' })),
  ];
}

/** Names all that is staged, as it is frozen. */
export function stagedBase(rows: readonly StagedRow[]): string {
  return baseOf(rows.map(({ staged, rowVersion }) => `${itemKey(staged)}@${rowVersion}`));
}
