import type { ConfigSet } from '../../config/port.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { Item, Key, Scope, ScopeName } from '../../store/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import type { AggregateComparison } from '../aggregates/kept/check-kept.ts';
import { type Derived, recordCounter } from '../indexes/derive.ts';
import { mayBeId } from '../listing/find-record.ts';
import { type RecordData, readRecord, type StoredRecord } from '../record.ts';
import { numberKey } from '../writing/numbering.ts';
import type { Sealer } from '../writing/sealed-values.ts';
import type { IndexedEntity } from './indexed-entity.ts';

export interface WorkspaceLook {
  readonly workspace: Pick<Workspace, 'orgCode' | 'tenantCode' | 'scope'>;
  readonly config: ConfigSet;
  /** Of the configuration, of the platform, and those whose records are still being removed. */
  readonly entities: ReadonlyMap<string, IndexedEntity>;
  readonly ownerOf: (key: Key) => IndexedEntity | undefined;
  readonly sealer: Pick<Sealer, 'open'>;
  readonly tallies: Tallies;
  readonly aggregates: AggregateComparison;
  readonly findings: Findings;
}

export const unopenedProblem = 'opens with no known key, or was changed or moved';

export function drift(scope: { readonly name: ScopeName }, kind: DriftKind, key: Key, problem: string): Drift {
  return { kind, scope: scope.name, key: { pk: key.pk, sk: key.sk }, problem };
}

/** The entity that a partition such as `index#order;…` is named for. */
export function entityOfPartition({ entities }: WorkspaceLook, pk: string): IndexedEntity | undefined {
  const name = pk.slice(pk.indexOf('#') + 1);
  const end = name.indexOf(';');
  return entities.get(end === -1 ? name : name.slice(0, end));
}

/** Undefined where the item holds something else. */
export function storedRecord(entity: CompiledEntity, item: Item): StoredRecord | undefined {
  try {
    const record = readRecord(entity, item);
    return mayBeId(String(record.data.id)) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Something that is stored and does not follow from the rest, or that follows and is not stored. */
interface Drift {
  readonly kind: DriftKind;
  readonly scope: ScopeName;
  readonly key: Key;
  /** A sentence, but for its period. */
  readonly problem: string;
}

export type DriftKind =
  | 'record'
  | 'index'
  | 'unique'
  | 'aggregate'
  | 'count'
  | 'number'
  | 'sealed'
  | 'fence'
  | 'config'
  /** Without its head a scope would start counting its commits again. */
  | 'head'
  /** A lookup whose record is gone. A forced change of a definition may leave some, so it is distinguished. */
  | 'dangling';

/** `skipped` workspaces are closed or removed, or of an org whose configuration is not whole. */
const counted = ['orgs', 'workspaces', 'skipped', 'records', 'entries', 'uniques', 'sealed'] as const;
type Counted = (typeof counted)[number];

/** The findings of a look at a store. Of each sort so many are kept, and all are counted. */
export class Findings {
  readonly counts: Record<Counted, number> = {
    orgs: 0,
    workspaces: 0,
    skipped: 0,
    records: 0,
    entries: 0,
    uniques: 0,
    sealed: 0,
  };
  readonly drift: Drift[] = [];
  readonly dangling: Drift[] = [];
  driftCount = 0;
  danglingCount = 0;

  add(found: Drift): void {
    const kept = found.kind === 'dangling' ? this.dangling : this.drift;
    if (found.kind === 'dangling') this.danglingCount += 1;
    else this.driftCount += 1;
    if (kept.length < keptMax) kept.push(found);
  }

  count(what: Counted): void {
    this.counts[what] += 1;
  }
}

const keptMax = 1000;

/** The expected item of one key. `judge` is given the item there; it may have to ask about another key in turn. */
export interface Claim {
  readonly key: Key;
  readonly judge: (item: Item | undefined) => ClaimVerdict;
}

/** Undefined where the claim holds. */
export type ClaimVerdict = Drift | Claim | undefined;

const keysPerRead = 500;

/** Judges claims, and those that they lead to, in reads of many keys. */
export async function judgeClaims(
  scope: Scope,
  claims: readonly Claim[],
  report: (drift: Drift) => void,
): Promise<void> {
  const waiting = [...claims];
  while (waiting.length > 0) {
    const requested = waiting.splice(0, keysPerRead);
    const items = await scope.get(requested.map(({ key }) => key));
    for (const [index, claim] of requested.entries()) {
      const verdict = claim.judge(items[index]);
      if (verdict === undefined) continue;
      if ('judge' in verdict) waiting.push(verdict);
      else report(verdict);
    }
  }
}

interface StoredTally {
  readonly key: Key;
  readonly number: number;
}

/** The numbers in a workspace's counters, and those counted in its records. */
export class Tallies {
  readonly #counters = new Map<string, StoredTally>();
  readonly #records = new Map<string, StoredTally>();
  readonly #largest = new Map<string, StoredTally>();

  noteCounter({ pk, sk, value }: Item): void {
    set(this.#counters, { pk, sk }, Number(value));
  }

  noteRecord({ entity }: IndexedEntity, data: RecordData, { counter }: Derived): void {
    set(this.#records, counter, numberOf(this.#records, counter) + 1);
    for (const { name, behaviour } of entity.fields.values()) {
      const value = data[name];
      if (behaviour.isNumbered !== true || typeof value !== 'number') continue;
      const key = numberKey(entity.name, entity.stored.inStore(name));
      set(this.#largest, key, Math.max(value, numberOf(this.#largest, key)));
    }
  }

  /** The contradictions between counters and records, once all of both are noted. */
  *drift(): Generator<Pick<Drift, 'kind' | 'key' | 'problem'>> {
    const counts = [...this.#counters.values()].filter(({ key }) => key.pk === recordCounter('').pk);
    for (const { key } of new Map(
      [...counts, ...this.#records.values()].map((tally) => [tally.key.sk, tally]),
    ).values()) {
      const [counted, found] = [numberOf(this.#counters, key), numberOf(this.#records, key)];
      if (counted !== found)
        yield { kind: 'count', key, problem: `counts ${counted} records where there are ${found}` };
    }
    for (const { key, number } of this.#largest.values()) {
      const given = numberOf(this.#counters, key);
      if (given < number) yield { kind: 'number', key, problem: `is at ${given}, but a record already has ${number}` };
    }
  }
}

function set(tallies: Map<string, StoredTally>, key: Key, number: number): void {
  tallies.set(`${key.pk}\0${key.sk}`, { key, number });
}

function numberOf(tallies: ReadonlyMap<string, StoredTally>, { pk, sk }: Key): number {
  return tallies.get(`${pk}\0${sk}`)?.number ?? 0;
}
