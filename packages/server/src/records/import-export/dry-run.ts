import { hash } from 'node:crypto';
import { scheduler } from '../../lib/scheduling/event-loop.ts';
import { type Change, type Committed, type Item, isIndexPartition, type Key, type Scope } from '../../store/port.ts';
import { shareKeyOf } from '../../tenancy/port.ts';
import type { RecordWriteDeps } from '../writing/record-write-deps.ts';
import type { RecordCall, WriteLoop } from '../writing/write-loop.ts';

export interface DryRunOptions {
  /** Whether what is written is read again, or only looked for. */
  readonly keepsValues: boolean;
  readonly bounds?: DryRunBounds;
}

interface DryRunBounds {
  readonly places: number;
  readonly characters: number;
}

/** The most of its writes that a dry run remembers; then it forgets all of them and begins again. */
const defaultBounds: DryRunBounds = { places: 1_000_000, characters: 32 * 1024 * 1024 };

/** The same work on a workspace whose writes go no further than this process, and are seen by what comes after them. */
export function dryRun(
  parts: RecordWriteDeps,
  call: RecordCall,
  options: DryRunOptions,
): { readonly parts: RecordWriteDeps; readonly call: RecordCall } {
  const { workspace } = call;
  const scope = dryScope(workspace.scope, call.entity.idIndexPk, options);
  return { parts: { ...parts, writeLoop: dryLoop }, call: { ...call, workspace: { ...workspace, scope } } };
}

/** A plan is not in doubt: real writers do not see it, and it has seen earlier writes. */
const dryLoop: WriteLoop = async (context, _entityNames, makePlan) => {
  const plan = await makePlan(context.config);
  const committed = await context.workspace.scope.commit(plan.changes.map(({ change }) => change));
  // Nothing here waits for a disk, and others want to be served too.
  await scheduler.rejoin(shareKeyOf(context.workspace));
  return { plan, committed };
};

/** Represents every version that is not in the store. */
const dryVersion = Number.MAX_SAFE_INTEGER;

function dryScope(scope: Scope, idIndexPk: string, { keepsValues, bounds = defaultBounds }: DryRunOptions): Scope {
  const kept = createKept(bounds);
  /** Of index items only those are read that say where a record lies. */
  const isRead = ({ pk }: Key): boolean => !isIndexPartition(pk) || (keepsValues && pk === idIndexPk);

  const get: Scope['get'] = async (keys) => {
    const items = await scope.get(keys);
    return keys.map((key, index) => overlaid(key, items[index], kept.get(key)));
  };

  const textAfter = async (change: Change): Promise<PlannedText | undefined> => {
    if (change.kind === 'put') return keepsValues ? change.value : '';
    if (change.kind === 'put-index') return JSON.stringify(change.target);
    if (change.kind === 'remove') return gone;
    if (change.kind !== 'add') return undefined;
    const [item] = await get([change]);
    return String(Number(item?.value ?? 0) + change.by);
  };

  const commit = async (changes: readonly Change[]): Promise<Committed> => {
    kept.makeRoom();
    const sums: number[] = [];
    for (const change of changes) {
      const text = await textAfter(change);
      if (change.kind === 'add') sums.push(Number(text));
      if (text !== undefined && 'sk' in change && isRead(change)) kept.set(change, text);
    }
    return { seq: dryVersion, sums };
  };

  return {
    name: scope.name,
    get,
    commit,
    range: (pk, read) => scope.range(pk, read),
    follow: (pk, read) => scope.follow(pk, read),
    count: (pk, range, atMost) => scope.count(pk, range, atMost),
    select: (pk, read) => scope.select(pk, read),
    measure: (pk, read) => scope.measure(pk, read),
  };
}

/** @param text what was written last, undefined where nothing was. */
function overlaid(key: Key, item: Item | undefined, text: PlannedText | undefined): Item | undefined {
  if (text === undefined) return item;
  if (text === gone) return undefined;
  const { pk, sk } = key;
  const place = { pk, sk, version: dryVersion };
  return isIndexPartition(pk) ? { ...place, value: '', target: JSON.parse(text) as Key } : { ...place, value: text };
}

const gone = Symbol('gone');
type PlannedText = string | typeof gone;

/** By a hash of their keys: of a million places two share one in one of many thousand files. */
function createKept(bounds: DryRunBounds) {
  const texts = new Map<number, PlannedText>();
  let characters = 0;
  return {
    get: (key: Key): PlannedText | undefined => texts.get(hashOf(key)),
    set: (key: Key, text: PlannedText): void => {
      if (text !== gone) characters += text.length;
      texts.set(hashOf(key), text);
    },
    /** Between two commits, so that what one of them wrote is known or forgotten together. */
    makeRoom: (): void => {
      if (texts.size < bounds.places && characters < bounds.characters) return;
      texts.clear();
      characters = 0;
    },
  };
}

/** 53 bits, which are what a number holds. */
function hashOf({ pk, sk }: Key): number {
  const digest = hash('sha256', `${pk}\0${sk}`, 'buffer');
  return digest.readUIntBE(0, 6) * 32 + ((digest[6] ?? 0) >> 3);
}
