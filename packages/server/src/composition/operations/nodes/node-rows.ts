/** The rows in which the nodes of a platform describe themselves, in the platform's scope. */
import type { platformHealthApi } from '@freehold/contract/management/operator/health';
import type { ReplyOf } from '@freehold/contract/route';
import type { Item, Put, Remove, Scope } from '../../../store/port.ts';
import { json, type Row, table } from '../../../store/table.ts';

type Health = ReplyOf<typeof platformHealthApi.readPlatformHealth>;
export type ShownNode = Health['nodes'][number];

export interface NodeRow extends Omit<ShownNode, 'id' | 'this_node' | 'state'> {
  readonly draining: boolean;
}

const rows = table(
  (id: string) => ({ pk: 'node', sk: id }),
  json<NodeRow>('row of a node', {
    host: 'string',
    listens: 'object',
    version: 'string',
    started_at: 'string',
    heard_at: 'string',
    workers: 'object',
  }),
);

/** Three beats: one may be late, and one may fail. */
export const beatMilliseconds = 20_000;
const silentMilliseconds = 60_000;
/** The row of a node that was killed goes with what else has expired. */
const keptMilliseconds = 24 * 60 * 60 * 1000;
const shownMax = 100;
/** A node that is started again and again leaves no more rows of its earlier processes than this. */
const silentMax = 50;
const prunedAtOnce = 300;

export function putNode(id: string, row: NodeRow, now: number): Put {
  return rows.put(id, row, { if: 'any', due: { at: now + keptMilliseconds, queue: 'expire' } });
}

export function removeNode(id: string): Remove {
  return rows.remove(id, 'any');
}

/** Removes the oldest rows of nodes that are silent, where there are too many. A node that lives writes its row again. */
export async function surplusNodes(scope: Scope, now: number): Promise<readonly Remove[]> {
  const items = await scope.range(rows.key('').pk, { limit: prunedAtOnce });
  const silent = readable(scope, items).filter(({ value }) => isSilent(value, now));
  const newestFirst = silent.toSorted((left, right) => right.value.heard_at.localeCompare(left.value.heard_at));
  return newestFirst.slice(silentMax).map(({ sk }) => removeNode(sk));
}

/** The others in the order of their start. */
export async function readNodes(
  scope: Scope,
  ownId: string,
  now: number,
): Promise<{ readonly others: readonly ShownNode[]; readonly hasMore: boolean }> {
  const items = await scope.range(rows.key('').pk, { limit: shownMax + 1 });
  const others = readable(scope, items).filter(({ sk }) => sk !== ownId);
  const shown = others.slice(0, shownMax - 1).toSorted(byStart);
  return { others: shown.map(({ sk, value }) => shownNode(sk, value, now)), hasMore: items.length > shownMax };
}

export function shownNode(id: string, { draining, ...expected }: NodeRow, now: number): ShownNode {
  const state = isSilent(expected, now) ? 'silent' : draining ? 'draining' : 'serving';
  return { id, this_node: false, state, ...expected };
}

function isSilent({ heard_at }: Pick<NodeRow, 'heard_at'>, now: number): boolean {
  return now - Date.parse(heard_at) > silentMilliseconds;
}

/** A damaged row hides no other node. */
function readable(scope: Scope, items: readonly Item[]): readonly Row<NodeRow>[] {
  return items.flatMap((item) => rowOf(scope, item) ?? []);
}

function rowOf(scope: Scope, item: Item): Row<NodeRow> | undefined {
  try {
    return rows.row(scope, item);
  } catch {
    return undefined;
  }
}

function byStart(left: Row<NodeRow>, right: Row<NodeRow>): number {
  return left.value.started_at.localeCompare(right.value.started_at) || left.sk.localeCompare(right.sk);
}
