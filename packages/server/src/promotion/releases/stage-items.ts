import { itemKey } from '../../config/port.ts';
import { cooperatively } from '../../lib/scheduling/cooperatively.ts';
import type { Change, Key, Put, Scope } from '../../store/port.ts';
import { asRead } from '../../store/table.ts';
import type { ConfigKinds } from '../config-kind.ts';
import type { ItemBody } from '../item-storage.ts';
import { bodyKeys, bodyPuts } from '../items/item-bodies.ts';
import { currentRelease } from './releases.ts';
import { type StagedItem, type StagedRow, stagedItems, stagingKey, stagingMoves, unstage } from './staging.ts';

/** What a publication stages at once. */
export interface Publication {
  readonly items: readonly StagedItem[];
  /** All that was staged when it was planned, */
  readonly rows: readonly StagedRow[];
  /** and what of it is to be so no more. */
  readonly settled: readonly StagedRow[];
  readonly conditions: readonly Change[];
  readonly logEntry: Change;
}

/** What holds a commit to production, and what is staged for it, being what they are now. */
export async function conditionsNow(scope: Scope): Promise<readonly Change[]> {
  const currentKey = currentRelease.key();
  const [current, staging] = await scope.get([currentKey, stagingKey]);
  return [
    { kind: 'check', ...currentKey, if: asRead(current) },
    { ...stagingMoves, if: asRead(staging) },
  ];
}

/** Well below what one commit may hold. */
const bytesPerCommit = 2 * 1024 * 1024;
const putsPerCommit = 1000;

export async function writeBodies(kinds: ConfigKinds, scope: Scope, bodies: readonly ItemBody[]): Promise<void> {
  let puts: Put[] = [];
  let bytes = 0;
  for await (const body of cooperatively(bodies))
    for (const put of bodyPuts(kinds, body)) {
      const size = Buffer.byteLength(put.value);
      if (puts.length > 0 && (bytes + size > bytesPerCommit || puts.length === putsPerCommit)) {
        await scope.commit(puts);
        [puts, bytes] = [[], 0];
      }
      puts.push(put);
      bytes += size;
    }
  if (puts.length > 0) await scope.commit(puts);
}

/** Takes bodies away that were written for nothing. */
export async function removeBodies(kinds: ConfigKinds, scope: Scope, bodies: readonly ItemBody[]): Promise<void> {
  const keys = bodies.flatMap((body) => bodyKeys(kinds, body, body.version));
  if (keys.length > 0) await scope.commit(keys.map(removal));
}

/** What an item was staged as before gives way with its bodies. */
export function stage(
  kinds: ConfigKinds,
  { items, rows, settled, conditions, logEntry }: Publication,
): readonly Change[] {
  const before = new Map(rows.map((row) => [itemKey(row.staged), row]));
  const staged = items.flatMap((item) => stageOne(kinds, item, before.get(itemKey(item))));
  return [...conditions, ...staged, ...settled.flatMap((row) => unstage(kinds, row)), logEntry];
}

function stageOne(kinds: ConfigKinds, item: StagedItem, before: StagedRow | undefined): readonly Change[] {
  const condition = before === undefined ? 'absent' : { version: before.rowVersion };
  const put = stagedItems.put(item, item, { if: condition });
  const left = before?.staged.change === 'put' ? bodyKeys(kinds, item, before.staged.body) : [];
  return [put, ...left.map(removal)];
}

function removal(key: Key): Change {
  return { kind: 'remove', ...key, if: 'any' };
}
