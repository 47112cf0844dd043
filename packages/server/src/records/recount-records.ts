/** Counts the records of a data space again, and corrects counters that differ. There should be no writes meanwhile. */
import { systemEntityNames } from '@freehold/contract/system-entities';
import { type AuditContext, auditEntry } from '../audit/audit-entry.ts';
import { type ConfigSet, createConfigReader } from '../config/port.ts';
import type { Clock } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import type { Change, Item, OpenedStore, Scope, Store } from '../store/port.ts';
import { asRead } from '../store/table.ts';
import { eachItem, walkScope } from '../store/walk.ts';
import { type Environment, type Workspace, workspaceOrg } from '../tenancy/port.ts';
import { AggregateComparison, type WrongGroup, wrongText } from './aggregates/kept/check-kept.ts';
import { recordCounter } from './indexes/derive.ts';
import { recordsOfOrg } from './records-of-org.ts';
import { checkOrg, type ScopeOfOrg, scopesOfOrgs, workspaceStateOf } from './verification/check-org.ts';
import { createOwners, keptEntities } from './verification/indexed-entity.ts';
import { Findings, storedRecord } from './verification/look.ts';

export { wrongText };

/**
 * An org comes first and its sum last, its workspaces between them. One is `skipped` that is removed, or of an org whose
 * configuration is not whole, so that it is not known whose records lie where.
 */
export type Recounted =
  | { readonly kind: 'org'; readonly orgCode: string; readonly scope: Scope; readonly hasHead: boolean }
  | { readonly kind: 'skipped'; readonly orgCode: string; readonly tenantCode: string }
  | RecountedWorkspace
  | OrgSum;

export interface RecountedWorkspace extends Pick<Workspace, 'orgCode' | 'tenantCode' | 'scope'> {
  readonly kind: 'workspace';
  /** Without its head a scope would start counting its commits again: nothing may be written to it. */
  readonly hasHead: boolean;
  readonly entities: readonly RecountedEntity[];
  /** Groups of aggregates whose rows are not what their records come to. */
  readonly groups: readonly WrongGroup[];
}

interface RecountedEntity {
  readonly entity: string;
  /** As it was before the records were counted. */
  readonly counter: Item | undefined;
  readonly found: number;
}

/** Records of entities that builders define: what plans are held to and builders are shown, and what there is. */
interface OrgSum {
  readonly kind: 'sum';
  readonly orgCode: string;
  /** Undefined where a counter holds no number. */
  readonly reported: number | undefined;
  readonly found: number;
}

interface RecountDeps {
  readonly opened: OpenedStore;
  readonly clock: Clock;
}

/** Reads step by step: memory grows with the entities of one workspace alone. */
export async function* recountRecords({ opened, clock }: RecountDeps): AsyncGenerator<Recounted> {
  const configs = createConfigReader({ store: opened.store, clock });
  let org: OpenOrg | undefined;
  for await (const place of scopesOfOrgs(opened)) {
    const { orgCode, tenantCode, scope } = place;
    const hasHead = place.withoutHead === undefined;
    if (org?.orgCode !== orgCode) {
      if (org !== undefined) yield* sumOf(opened, org);
      const config = await configs.current(orgCode);
      org = { orgCode, config, isWhole: await checkOrg(scope, config, new Findings()), found: 0 };
    }
    if (tenantCode === undefined) yield { kind: 'org', orgCode, scope, hasHead };
    else if (await isCounted(opened, place, org)) {
      const { entities, groups } = await recount(opened, {
        workspace: { orgCode, tenantCode, scope },
        config: org.config,
      });
      for (const { entity, found } of entities) if (!systemEntityNames.includes(entity)) org.found += found;
      yield { kind: 'workspace', orgCode, tenantCode, scope, hasHead, entities, groups };
    } else yield { kind: 'skipped', orgCode, tenantCode };
  }
  if (org !== undefined) yield* sumOf(opened, org);
}

interface OpenOrg {
  readonly orgCode: string;
  readonly config: ConfigSet;
  readonly isWhole: boolean;
  found: number;
}

async function* sumOf({ store }: OpenedStore, { orgCode, isWhole, found }: OpenOrg): AsyncGenerator<OrgSum> {
  if (!isWhole) return;
  yield { kind: 'sum', orgCode, reported: await reportedOf(store, orgCode), found };
}

async function reportedOf(store: Store, orgCode: string): Promise<number | undefined> {
  try {
    return (await recordsOfOrg(store, orgCode)).reduce((sum, { records }) => sum + records, 0);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

async function isCounted(opened: OpenedStore, place: ScopeOfOrg, { isWhole }: OpenOrg): Promise<boolean> {
  const { tenantCode = '', state } = place;
  return isWhole && state === 'open' && (await workspaceStateOf(opened, { ...place, tenantCode })) !== 'removed';
}

interface WorkspaceToCount {
  readonly workspace: Pick<Workspace, 'orgCode' | 'tenantCode' | 'scope'>;
  readonly config: ConfigSet;
}

const itemsPerRead = 500;

/** INVARIANT: counters are read before records, so that a write in between leaves a counter of another version. */
async function recount(
  opened: OpenedStore,
  workspace: WorkspaceToCount,
): Promise<Pick<RecountedWorkspace, 'entities' | 'groups'>> {
  const { scope } = workspace.workspace;
  const kept = await keptEntities(opened.store, { ...workspace, further: new Map() });
  const ownerOf = createOwners([...kept.values()]);
  const aggregates = new Map(
    [...kept.values()].flatMap(({ required }) => required.aggregates.map((one) => [one.pk, one])),
  );
  const check = new AggregateComparison();
  const counters = await countersOf(scope);
  const found = new Map<string, number>();
  const records = `org#${workspaceOrg(workspace.workspace)};`;
  for await (const items of walkScope(opened.maintenance, scope, itemsPerRead))
    for (const item of items) {
      const aggregate = aggregates.get(item.pk);
      if (aggregate !== undefined) check.noteRow(aggregate, item);
      const owner = item.pk.startsWith(records) ? ownerOf(item) : undefined;
      const record = owner && storedRecord(owner.entity, item);
      if (owner === undefined || record === undefined) continue;
      check.noteRecord(owner.required.aggregates, record.data);
      found.set(owner.entity.name, (found.get(owner.entity.name) ?? 0) + 1);
    }
  const names = new Set([...counters.keys(), ...found.keys()]);
  const entities = [...names].sort();
  return {
    entities: entities.map((entity) => ({ entity, counter: counters.get(entity), found: found.get(entity) ?? 0 })),
    groups: [...check.wrong()],
  };
}

async function countersOf(scope: Scope): Promise<ReadonlyMap<string, Item>> {
  const counters = new Map<string, Item>();
  for await (const item of eachItem(scope, recordCounter('').pk, itemsPerRead)) counters.set(item.sk, item);
  return counters;
}

export function isRight({ counter, found }: RecountedEntity): boolean {
  return (counter?.value ?? '0') === String(found);
}

interface Repair {
  readonly env: Environment;
  readonly auditContext: AuditContext;
}

/**
 * Sets the counters of a workspace that are not right to what was found, and says so in its audit log, in one commit.
 * @throws Conflict if there was a write meanwhile; then nothing is changed.
 */
export async function repairCounters(
  { tenantCode, scope, entities }: RecountedWorkspace,
  { env, auditContext }: Repair,
): Promise<void> {
  const wrong = entities.filter((one) => !isRight(one));
  if (wrong.length === 0) return;
  const changes = wrong.map(
    ({ entity, counter, found }): Change => ({
      kind: 'put',
      ...recordCounter(entity),
      value: String(found),
      if: asRead(counter),
    }),
  );
  const detail = Object.fromEntries(
    wrong.map(({ entity, counter, found }) => [entity, `${counterText(counter)} to ${found}`]),
  );
  const target = { kind: 'workspace', id: tenantCode };
  const audited = { action: 'records.recounted', target, env, tenant_code: tenantCode, detail };
  await scope.commit([...changes, auditEntry(auditContext, audited)]);
}

const groupsPerCommit = 2000;

/**
 * The same of rows of aggregates. Of many there are several commits, each of which a repetition goes on from.
 * @throws Conflict if there was a write meanwhile.
 */
export async function repairGroups(
  { tenantCode, scope, groups }: RecountedWorkspace,
  { env, auditContext }: Repair,
): Promise<void> {
  for (let from = 0; from < groups.length; from += groupsPerCommit) {
    const some = groups.slice(from, from + groupsPerCommit);
    const changes = some.map(({ key, item, value }): Change => {
      const condition = asRead(item);
      return value === undefined
        ? { kind: 'remove', ...key, if: condition }
        : { kind: 'put', ...key, value, if: condition };
    });
    const names = Map.groupBy(some, ({ key }) => key.pk.slice(key.pk.indexOf('#') + 1));
    const detail = Object.fromEntries([...names].map(([name, wrong]) => [name, `${wrong.length} groups`]));
    const target = { kind: 'workspace', id: tenantCode };
    const audited = { action: 'records.recounted', target, env, tenant_code: tenantCode, detail };
    await scope.commit([...changes, auditEntry(auditContext, audited)]);
  }
}

function counterText(counter: Item | undefined): string {
  return counter === undefined ? '0' : counter.value.slice(0, 20);
}
