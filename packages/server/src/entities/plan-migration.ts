import { type AuditContext, auditEntry } from '../audit/audit-entry.ts';
import {
  type ApiVersions,
  activeApis,
  type ConfigGate,
  type ConfigItem,
  type ConfigReader,
  type ConfigSet,
  type EntityRow,
  entityRows,
  entityStates,
  type ReferenceMap,
  referencesPut,
  type SwitchTime,
  withReferences,
} from '../config/port.ts';
import { type Clock, timestamp } from '../lib/clock.ts';
import { notFound, Problem } from '../lib/problem.ts';
import { cooperatively } from '../lib/scheduling/event-loop.ts';
import { itemChanged } from '../promotion/port.ts';
import { entitiesBeingRemoved, loadRemoved, maintainWork, purgeWork } from '../records/port.ts';
import {
  actions,
  apiName,
  type CompiledEntity,
  compileEntity,
  compilePatterns,
  definitionLimits,
  type EntityContent,
  type EntityState,
  recordsMayMeet,
  stateUnder,
  systemEntities,
} from '../schema/port.ts';
import type { Change, Scope, Store } from '../store/port.ts';
import { asRead, type Row } from '../store/table.ts';
import { orgScopeName } from '../tenancy/port.ts';
import { configSize, configSizeAfter, newBodies } from './entity-rows.ts';

/** The target of an entity's migration; undefined takes it away. */
export interface EntityTarget {
  readonly name: string;
  readonly wanted: WantedEntity | undefined;
}

/** The parts that the management of entities works with, in one environment. */
export interface EntityAdminDeps {
  readonly store: Store;
  readonly configs: ConfigReader;
  readonly clock: Clock;
  /** Left out, the org may have as much as the platform serves. */
  readonly gate?: ConfigGate | undefined;
  /** On which what is asked for is done. */
  readonly auditContext: AuditContext;
  /** Has work looked for now. */
  readonly wake: () => void;
  /** Refuses to take an entity away that something else of the configuration needs, which is not known here. */
  readonly refuseRemoval?:
    | ((place: { readonly orgCode: string; readonly set: ConfigSet }, item: ConfigItem) => Promise<void>)
    | undefined;
}

/** The configuration that a change is planned on, and the version that it makes. */
export interface Moment {
  readonly orgCode: string;
  readonly set: ConfigSet;
  readonly next: number;
}

interface SwitchedMoment extends Moment {
  /** Whether records of an entity that is taken away stay in the store, where nothing serves them. */
  readonly keepsRecords: boolean;
}

interface EntityMigration {
  readonly steps: readonly MigrationStep[];
  /** For the commit that makes the config version; the bodies of the configs are not among them. */
  readonly changes: readonly Change[];
}

/**
 * Brings some of an org's entities from what they are to what is wanted of them. What is written about each is planned
 * on its own; what they have in common, who refers to whom, is planned over all of them.
 * @throws Problem `conflict`, `dangling_reference`, or what the gate refuses.
 */
export async function planMigration(
  { store, clock, gate }: Pick<EntityAdminDeps, 'store' | 'clock' | 'gate'>,
  { orgCode, set, next, keepsRecords }: SwitchedMoment,
  targets: readonly EntityTarget[],
): Promise<EntityMigration> {
  const scope = store.scope(orgScopeName(orgCode));
  const rows = await entityRows.readMany(
    scope,
    targets.map(({ name }) => name),
  );
  const time = { orgCode, next, now: clock.now() };
  const steps: MigrationStep[] = [];
  for await (const [index, { name, wanted }] of cooperatively(targets.entries())) {
    const current = await currentEntity(scope, set, { name, row: rows[index] });
    await compilePatterns(wanted?.content.definition);
    if (wanted !== undefined) steps.push(planEntity(time, { name, wanted }, current));
    else if (set.active(name) !== undefined) steps.push(planEntityRemoval(time, { name, keepsRecords }, current));
  }
  const names = namesAfter(set, steps);
  refuseTooMany(names);
  await refuseOverlap(scope, set, steps);
  const { references, referring } = await referencesAfter(set, steps, next);
  refuseDangling(references, names);
  await gate?.(orgCode, { before: configSize(set), after: configSizeAfter(set, steps) });
  const work = steps
    .filter(({ state, name }) => isUnsettled(state) || referring.has(name))
    .map(({ name }) => maintainWork({ orgCode, entityName: name, version: next }, time.now));
  const changes = [...steps.flatMap((step) => step.changes), ...referencesPut(set.references, references), ...work];
  return { steps, changes };
}

/**
 * The change of one entity by a builder: its migration, the bodies of its configs, and what is noted of it.
 * @param what was done, and by which of its configs where that was one.
 */
export async function migrateEntity(
  deps: EntityAdminDeps,
  moment: Moment,
  target: EntityTarget,
  { action, api }: { readonly action: 'created' | 'changed' | 'removed'; readonly api?: string },
): Promise<EntityMigration> {
  const { name, wanted } = target;
  const { auditContext } = deps;
  const version = moment.next;
  const { steps, changes } = await planMigration(deps, { ...moment, keepsRecords: false }, [target]);
  const noted = { version, action, ...(wanted === undefined ? {} : { configs: wanted.versions }) };
  const audited = {
    action: `entity.${action === 'created' ? 'defined' : action}`,
    target: { kind: 'entity', id: name },
    env: 'test',
    detail: { ...(api === undefined ? {} : { api }), version },
  } as const;
  return {
    steps,
    changes: [
      ...(wanted === undefined ? [] : newBodies(wanted.content, wanted.versions, version)),
      ...changes,
      itemChanged({ kind: 'entity', name }, auditContext, noted),
      auditEntry(auditContext, audited),
    ],
  };
}

export function unknownEntity(entityName: string): Problem {
  const { code } = notFound();
  return new Problem(code, `there is no entity \`${entityName.slice(0, 100)}\``);
}

/** The lookups afterwards, and the entities with records whose lookups change: the fences of their targets rise. */
async function referencesAfter(set: ConfigSet, steps: readonly MigrationStep[], next: number) {
  let references: ReferenceMap = set.references;
  const referring = new Set<string>();
  for await (const { name, before, after } of cooperatively(steps)) {
    const known = references;
    references = withReferences(known, { name, compiled: after }, next);
    const isOther = [...references].some(([target, referred]) => known.get(target) !== referred);
    if (isOther && before !== undefined && after !== undefined) referring.add(name);
  }
  return { references, referring };
}

function isUnsettled(state: EntityState | undefined): boolean {
  if (state === undefined) return false;
  const { erasing = [], fills = [], indexes } = state;
  return erasing.length + fills.length > 0 || indexes.some((index) => index.state !== 'ready');
}

async function currentEntity(
  scope: Scope,
  set: ConfigSet,
  { name, row }: { readonly name: string; readonly row: Row<EntityRow> | undefined },
): Promise<CurrentEntity> {
  const active = set.active(name);
  if (active !== undefined) return { row, state: active.state, compiled: await set.entity(name) };
  if (row === undefined) return { row, state: undefined, compiled: undefined };
  return { row, state: row.value.removed, compiled: await loadRemoved(scope, name, row.value) };
}

function namesAfter(set: ConfigSet, steps: readonly MigrationStep[]): ReadonlySet<string> {
  const names = new Set(set.entityNames);
  for (const { name, after } of steps) {
    if (after === undefined) names.delete(name);
    else names.add(name);
  }
  return names;
}

function refuseTooMany({ size }: ReadonlySet<string>): void {
  if (size <= definitionLimits.entitiesMax) return;
  throw new Problem('conflict', `an org may have at most ${definitionLimits.entitiesMax} entities`);
}

/**
 * A new entity must not be able to produce keys of another one, served or retired. Keys of existing entities cannot
 * change.
 */
async function refuseOverlap(scope: Scope, set: ConfigSet, steps: readonly MigrationStep[]): Promise<void> {
  const made = steps.flatMap(({ before, after }) => (before === undefined && after !== undefined ? [after] : []));
  if (made.length === 0) return;
  const stepped = new Set(steps.map(({ name }) => name));
  const current = [...set.entityNames, ...systemEntities.keys()].filter((name) => !stepped.has(name));
  const others = new Map<string, CompiledEntity>();
  for (const entity of await entitiesBeingRemoved(scope)) others.set(entity.name, entity);
  for (const { name, before } of steps) if (before !== undefined) others.set(name, before);
  for await (const name of cooperatively(current)) {
    const entity = await set.entity(name);
    if (entity !== undefined) others.set(name, entity);
  }
  for await (const entity of cooperatively(made)) {
    for (const other of others.values())
      if (other.name !== entity.name && recordsMayMeet(entity, other)) throw meets(entity, other);
    others.set(entity.name, entity);
  }
}

function meets({ name }: CompiledEntity, other: CompiledEntity): Problem {
  const message = `the key templates of \`${name}\` could give keys of entity \`${other.name}\``;
  return new Problem('conflict', message, { kind: 'entity', name });
}

function refuseDangling(references: ReferenceMap, names: ReadonlySet<string>): void {
  const dangling = [...references].flatMap(([target, { by }]) =>
    names.has(target) || systemEntities.has(target)
      ? []
      : by.map(({ entity, field }) => ({
          kind: 'entity',
          name: target,
          referenced_by: { kind: 'entity', name: entity, field },
        })),
  );
  if (dangling.length === 0) return;
  const sentences = dangling
    .slice(0, 5)
    .map(({ name, referenced_by: by }) => `\`${by.name}\` looks up \`${name}\` in its field \`${by.field}\``);
  throw new Problem('dangling_reference', `references would lead nowhere: ${sentences.join(', ')}`, {
    dangling: dangling.slice(0, 100),
  });
}

/** An entity's target content, and the versions under which the bodies of its five configs lie. */
interface WantedEntity {
  readonly content: EntityContent;
  readonly versions: ApiVersions;
  /** Fields whose stored values are to be lost. */
  readonly erased?: readonly string[];
}

/** The current state of an entity: how its records were last written, served or not. */
interface CurrentEntity {
  readonly row: Row<EntityRow> | undefined;
  readonly state: EntityState | undefined;
  readonly compiled: CompiledEntity | undefined;
}

/** An entity on its way from its current state to the wanted one. */
export interface MigrationStep {
  readonly name: string;
  /** The entity that wrote its records until now; undefined where there are none. */
  readonly before: CompiledEntity | undefined;
  readonly after: CompiledEntity | undefined;
  readonly state: EntityState | undefined;
  /** Whether it comes back to records that were not served: what these refer to may have gone meanwhile. */
  readonly returns: boolean;
  readonly changes: readonly Change[];
}

/** @throws Problem `conflict` where the records that are there cannot be had under what is wanted. */
function planEntity(
  time: SwitchTime,
  { name, wanted }: { readonly name: string; readonly wanted: WantedEntity },
  current: CurrentEntity,
): MigrationStep {
  const rowState = current.row?.value.state ?? 'absent';
  if (rowState === 'removing') throw stillRemoving(name);
  const { definition, views } = wanted.content;
  const state = stateUnder(
    definition,
    { ...current, isServed: rowState === 'active' },
    { next: time.next, version: wanted.versions.create, erased: wanted.erased },
  );
  const after = compileEntity(definition, state.version, state, views);
  const row: EntityRow = { state: 'active', version: state.version, updated_at: timestamp(time.now) };
  const asServed = { if: rowState === 'active' ? 'present' : 'absent' } as const;
  const changes: readonly Change[] = [
    entityRows.put(name, row, { if: asRead(current.row) }),
    ...actions.map((action) =>
      action === 'create'
        ? entityStates.put(name, state, asServed)
        : activeApis.put(apiName(action, name), { version: wanted.versions[action] }, asServed),
    ),
  ];
  return { name, before: current.compiled, after, state, returns: rowState === 'retired', changes };
}

function stillRemoving(name: string): Problem {
  return new Problem(
    'conflict',
    `the records of a removed entity \`${name}\` are still being removed: try again in a moment`,
    { kind: 'entity', name },
  );
}

/** Takes an entity and its configs away; its records go with it, or stay until their removal is requested. */
function planEntityRemoval(
  { orgCode, next, now }: SwitchTime,
  { name, keepsRecords }: { readonly name: string; readonly keepsRecords: boolean },
  { row, state, compiled }: CurrentEntity,
): MigrationStep {
  if (row === undefined || state === undefined) throw new TypeError(`${name} is not there to be taken away`);
  const { version } = state;
  const updated_at = timestamp(now);
  const left: EntityRow = keepsRecords
    ? { state: 'retired', version, removed: state, updated_at }
    : { state: 'removing', version, removal: next, removed: state, updated_at };
  const changes: readonly Change[] = [
    entityRows.replace(row, left),
    ...actions.map((action) => activeApis.remove(apiName(action, name), 'present')),
    ...(keepsRecords ? [] : [purgeWork({ orgCode, entityName: name, removal: next }, now)]),
  ];
  return { name, before: compiled, after: undefined, state: undefined, returns: false, changes };
}
