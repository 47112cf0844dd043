/** Removes the listed records, so that no record that is left ever refers to a removed one. */
import { notFound } from '../../lib/problem.ts';
import { type CompiledEntity, heldIds, indexPrefix } from '../../schema/port.ts';
import type { Row } from '../../store/table.ts';
import { findRecord } from '../listing/find-record.ts';
import type { StoredRecord } from '../record.ts';
import { recordPlace } from '../record-keys.ts';
import { addCleared, type Cleared, clearedRecord, removedRecord } from '../references.ts';
import { mergeChanges, type PlannedChange, unconditional } from '../writing/planned-change.ts';
import { nextPhase, type RemovalStep, rowChange, sortedReferences } from './pass.ts';
import { listed, listPartition, marks, removeMark } from './removal-row.ts';

interface RemovalNode {
  readonly seq: number;
  readonly entityName: string;
  readonly id: string;
}

interface Explored extends RemovalNode {
  readonly holders: ReadonlySet<number>;
  /** Whether there are no others. */
  readonly isWhole: boolean;
}

type Graph = ReadonlyMap<number, Explored>;

/** A holder turned up that is not listed, as where a definition has changed: the list is made complete once more. */
class Unlisted extends Error {}

/**
 * Removes records that only refer to one another, the last found first. A ring that is too large for one commit is opened
 * by clearing one of its references.
 */
export async function planListedRemovals(step: RemovalStep): Promise<readonly PlannedChange[]> {
  const row = step.row.value;
  const read = { reverse: true, limit: step.recordsMax };
  const last = await listed.range(step.workspace.scope, listPartition(step.id), read);
  if (last.length === 0) return [rowChange(step, { ...row, ...nextPhase('release') })];
  try {
    const graph = await explore(step, last.map(nodeOf).reverse());
    const removed = await removalOf(step, takeable(graph, step.recordsMax));
    if (removed !== undefined) return removed;
    return [...(await openRing(step, graph)), rowChange(step, row)];
  } catch (error) {
    if (error instanceof Unlisted) return [rowChange(step, { ...row, ...nextPhase('mark') })];
    throw error;
  }
}

function nodeOf({ sk, value }: Row<{ readonly entity: string; readonly id: string }>): RemovalNode {
  return { seq: Number(sk), entityName: value.entity, id: value.id };
}

/** The number of records that are looked at in search of some that can go, for each that may go. */
const exploredPerRecord = 5;

/** Looks for the holders of nodes, and for theirs in turn, until some can go or enough were looked at. */
async function explore(step: RemovalStep, seeds: readonly RemovalNode[]): Promise<Graph> {
  const { recordsMax, pause } = step;
  const graph = new Map<number, Explored>();
  const stack = [...seeds];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (graph.has(node.seq)) continue;
    await pause();
    const { holders, isWhole } = await holdersOf(step, node);
    graph.set(node.seq, { ...node, holders: new Set(holders.map(({ seq }) => seq)), isWhole });
    for (const holder of holders) if (!graph.has(holder.seq)) stack.push(holder);
    if (graph.size % recordsMax === 0 && peeled(graph, recordsMax).length > 0) break;
    if (graph.size >= recordsMax * exploredPerRecord) break;
  }
  return graph;
}

async function holdersOf(
  { workspace, config, recordsMax }: RemovalStep,
  { seq, entityName, id }: RemovalNode,
): Promise<{ readonly holders: readonly RemovalNode[]; readonly isWhole: boolean }> {
  const holders: RemovalNode[] = [];
  let isWhole = true;
  for (const reference of sortedReferences(config, entityName)) {
    const entity = await config.entity(reference.entity);
    if (entity === undefined) continue;
    const prefix = indexPrefix(id);
    const entries = await workspace.scope.range(reference.pk, { prefix, limit: recordsMax + 1 });
    if (entries.length > recordsMax) isWhole = false;
    const ids = entries.map(({ sk }) => sk.slice(prefix.length));
    const places = ids.map((one) => recordPlace(entity, workspace, one));
    const found = places.length === 0 ? [] : await marks.readMany(workspace.scope, places);
    for (const [index, holder] of ids.entries()) {
      const mark = found[index];
      if (mark === undefined) throw new Unlisted();
      if (mark.value.seq !== seq) holders.push({ seq: mark.value.seq, entityName: entity.name, id: holder });
    }
  }
  return { holders, isWhole };
}

/** Nodes that can go together: what refers to them is among them. */
function takeable(graph: Graph, recordsMax: number): readonly Explored[] {
  const taken = peeled(graph, recordsMax);
  if (taken.length > 0) return taken;
  for (const node of graph.values()) {
    const ring = closureOf(graph, node, recordsMax);
    if (ring !== undefined) return ring;
  }
  return [];
}

/** Nodes that nothing refers to, then those that nothing else refers to, and so on. */
function peeled(graph: Graph, recordsMax: number): readonly Explored[] {
  const heldBack = new Map<number, number>();
  const targets = new Map<number, Explored[]>();
  const taken: Explored[] = [];
  for (const node of graph.values()) {
    if (!node.isWhole) continue;
    heldBack.set(node.seq, node.holders.size);
    if (node.holders.size === 0) taken.push(node);
    for (const holder of node.holders) targets.set(holder, [...(targets.get(holder) ?? []), node]);
  }
  for (const { seq } of taken)
    for (const target of targets.get(seq) ?? []) {
      const left = (heldBack.get(target.seq) ?? 0) - 1;
      heldBack.set(target.seq, left);
      if (left === 0) taken.push(target);
    }
  return taken.slice(0, recordsMax);
}

/** A node with all that refers to it, over however many others; undefined where that is not known or too much. */
function closureOf(graph: Graph, node: Explored, recordsMax: number): readonly Explored[] | undefined {
  const closure = new Map([[node.seq, node]]);
  for (const { holders, isWhole } of closure.values()) {
    if (!isWhole) return undefined;
    for (const seq of holders) {
      const holder = graph.get(seq);
      if (holder === undefined) return undefined;
      closure.set(seq, holder);
      if (closure.size > recordsMax) return undefined;
    }
  }
  return [...closure.values()];
}

/** A commit takes far more, so that a record with many words fits beside the others. */
const changesMax = 4000;

/** Undefined where none of the nodes can go. */
async function removalOf(step: RemovalStep, nodes: readonly Explored[]): Promise<readonly PlannedChange[] | undefined> {
  const changes: PlannedChange[] = [];
  const isGone = new Set<number>();
  let removed = 0;
  for (const node of nodes) {
    await step.pause();
    const own = await removalOfOne(step, node);
    if (changes.length > 0 && changes.length + own.changes.length > changesMax) break;
    changes.push(...own.changes);
    removed += own.count;
    isGone.add(node.seq);
  }
  // Records left out may refer to those that were not, in a ring alone.
  if (nodes.some(({ seq, holders }) => isGone.has(seq) && [...holders].some((one) => !isGone.has(one))))
    return undefined;
  if (isGone.size === 0) return undefined;
  const row = step.row.value;
  return [...mergeChanges(changes), rowChange(step, { ...row, done: row.done + removed })];
}

/** The removal of a record from the store and from the list. A record that is gone already is taken off the list. */
async function removalOfOne(step: RemovalStep, { seq, entityName, id }: Explored) {
  const { workspace, config } = step;
  const entry = await listed.read(workspace.scope, { job: step.id, seq });
  const unlisted = [...(entry?.value.marks ?? []).map(removeMark), listed.remove({ job: step.id, seq }, 'any')];
  const entity = await config.entity(entityName);
  const record = entity === undefined ? undefined : await findRecord({ workspace, entity }, id);
  const changes = unlisted.map(unconditional);
  if (entity === undefined || record === undefined) return { changes, count: 0 };
  changes.push(...(await removedRecord(step, { entity, record }, step)));
  const prefix = indexPrefix(id);
  for (const { pk } of sortedReferences(config, entityName))
    changes.push(unconditional({ kind: 'check-empty', pk, prefix }));
  return { changes, count: 1 };
}

/** Clears the fields by which one node refers to another. */
async function openRing(step: RemovalStep, graph: Graph): Promise<readonly PlannedChange[]> {
  for (const { holders, entityName, id } of graph.values())
    for (const seq of holders) {
      const holder = graph.get(seq);
      const entity = holder === undefined ? undefined : await step.config.entity(holder.entityName);
      if (holder === undefined || entity === undefined) continue;
      const record = await findRecord({ workspace: step.workspace, entity }, holder.id);
      if (record === undefined) throw notFound();
      return withoutReference(step, { entity, record }, { entityName, id });
    }
  throw new TypeError('records that refer to nothing can be removed');
}

function withoutReference(
  step: RemovalStep,
  holder: { readonly entity: CompiledEntity; readonly record: StoredRecord },
  { entityName, id }: Pick<RemovalNode, 'entityName' | 'id'>,
): Promise<readonly PlannedChange[]> {
  const cleared: Cleared = new Map();
  for (const { entity, field } of sortedReferences(step.config, entityName))
    if (entity === holder.entity.name && heldIds(holder.entity, field, holder.record.data).includes(id))
      addCleared(cleared, field, id);
  return clearedRecord(step, { ...holder, cleared }, step);
}
