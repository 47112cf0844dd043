import type { ConfigSet } from '../config/port.ts';
import {
  type ConfigGate,
  configSize,
  configSizeAfter,
  type EntityRow,
  entityRows,
  referencesPut,
} from '../config/port.ts';
import type { Clock } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import { cooperatively } from '../lib/scheduling/cooperatively.ts';
import { entitiesBeingRemoved, loadRemoved, maintainWork } from '../maintenance/port.ts';
import type { EntityState } from '../schema/port.ts';
import {
  type CompiledEntity,
  compilePatterns,
  definitionLimits,
  type ReferenceMap,
  recordsMayMeet,
  systemEntities,
  withReferences,
} from '../schema/port.ts';
import type { Change, Scope, Store } from '../store/port.ts';
import type { Row } from '../store/table.ts';
import { orgScopeName } from '../tenancy/port.ts';
import {
  type CurrentEntity,
  type EntityStep,
  planEntity,
  planEntityRemoval,
  type WantedEntity,
} from './migration/plan-entity.ts';

export type { EntityStep, WantedEntity };

/** What is to become of an entity; undefined takes it away. */
export interface EntityTarget {
  readonly name: string;
  readonly wanted: WantedEntity | undefined;
}

export interface EntityMigrationDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Left out, the org may have as much as the platform serves. */
  readonly gate?: ConfigGate | undefined;
}

export interface EntityMigrationMoment {
  readonly orgCode: string;
  /** The configuration that stands. */
  readonly set: ConfigSet;
  /** The config version that the switch makes. */
  readonly next: number;
  /** Whether records of an entity that is taken away stay in the store, where nothing serves them. */
  readonly keepsRecords: boolean;
}

export interface EntityMigration {
  readonly steps: readonly EntityStep[];
  /** For the commit that makes the config version; the bodies of the configs are not among them. */
  readonly changes: readonly Change[];
}

/**
 * Brings some of an org's entities from what they are to what is wanted of them. What is written about each is planned
 * on its own; what they have in common, who refers to whom, is planned over all of them.
 * @throws Problem `conflict`, `dangling_reference`, or what the gate refuses.
 */
export async function planMigration(
  { store, clock, gate }: EntityMigrationDeps,
  { orgCode, set, next, keepsRecords }: EntityMigrationMoment,
  targets: readonly EntityTarget[],
): Promise<EntityMigration> {
  const scope = store.scope(orgScopeName(orgCode));
  const rows = await entityRows.readMany(
    scope,
    targets.map(({ name }) => name),
  );
  const time = { orgCode, next, now: clock.now() };
  const steps: EntityStep[] = [];
  for await (const [index, { name, wanted }] of cooperatively(targets.entries())) {
    const standing = await standingEntity(scope, set, { name, row: rows[index] });
    await compilePatterns(wanted?.content.definition);
    if (wanted !== undefined) steps.push(planEntity(time, { name, wanted }, standing));
    else if (set.active(name) !== undefined) steps.push(planEntityRemoval(time, { name, keepsRecords }, standing));
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

/** Who looks up whom, and which entities with records do so otherwise than before: the fences of their targets rise. */
async function referencesAfter(set: ConfigSet, steps: readonly EntityStep[], next: number) {
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

async function standingEntity(
  scope: Scope,
  set: ConfigSet,
  { name, row }: { readonly name: string; readonly row: Row<EntityRow> | undefined },
): Promise<CurrentEntity> {
  const active = set.active(name);
  if (active !== undefined) return { row, state: active.state, compiled: await set.entity(name) };
  if (row === undefined) return { row, state: undefined, compiled: undefined };
  return { row, state: row.value.removed, compiled: await loadRemoved(scope, name, row.value) };
}

function namesAfter(set: ConfigSet, steps: readonly EntityStep[]): ReadonlySet<string> {
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
async function refuseOverlap(scope: Scope, set: ConfigSet, steps: readonly EntityStep[]): Promise<void> {
  const made = steps.flatMap(({ before, after }) => (before === undefined && after !== undefined ? [after] : []));
  if (made.length === 0) return;
  const stepped = new Set(steps.map(({ name }) => name));
  const standing = [...set.entityNames, ...systemEntities.keys()].filter((name) => !stepped.has(name));
  const others = new Map<string, CompiledEntity>();
  for (const entity of await entitiesBeingRemoved(scope)) others.set(entity.name, entity);
  for (const { name, before } of steps) if (before !== undefined) others.set(name, before);
  for await (const name of cooperatively(standing)) {
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
