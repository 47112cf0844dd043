import { isDeepStrictEqual } from 'node:util';
import type { ApiVersions, SwitchTime } from '../../config/port.ts';
import { activeApis, type EntityRow, entityRows, entityStates } from '../../config/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { purgeWork } from '../../maintenance/port.ts';
import type { EntityContent, EntityDefinition, IndexState } from '../../schema/port.ts';
import {
  actions,
  apiName,
  type CompiledEntity,
  compileEntity,
  type EntityState,
  type FillState,
  newEntityState,
  nextEntityState,
  storedNameOf,
} from '../../schema/port.ts';
import type { Change } from '../../store/port.ts';
import { asRead, type Row } from '../../store/table.ts';
import { refuseOtherKeys, refuseTooManyLeaving } from '../definition/definition-limits.ts';

/** What an entity is to be from now on, and the versions under which the bodies of its five configs lie. */
export interface WantedEntity {
  readonly content: EntityContent;
  readonly versions: ApiVersions;
  /** Fields whose stored values are to be lost. */
  readonly erased?: readonly string[];
}

/** What stands of an entity: how its records were last written, served or not. */
export interface CurrentEntity {
  readonly row: Row<EntityRow> | undefined;
  readonly state: EntityState | undefined;
  readonly compiled: CompiledEntity | undefined;
}

/** An entity on its way from what stands to what is wanted. */
export interface EntityStep {
  readonly name: string;
  /** What its records were written by until now; undefined where there are none. */
  readonly before: CompiledEntity | undefined;
  readonly after: CompiledEntity | undefined;
  readonly state: EntityState | undefined;
  /** Whether it comes back to records that were not served: what these refer to may have gone meanwhile. */
  readonly returns: boolean;
  readonly changes: readonly Change[];
}

/** @throws Problem `conflict` where the records that are there cannot be had under what is wanted. */
export function planEntity(
  time: SwitchTime,
  { name, wanted }: { readonly name: string; readonly wanted: WantedEntity },
  standing: CurrentEntity,
): EntityStep {
  const rowState = standing.row?.value.state ?? 'absent';
  if (rowState === 'removing') throw stillRemoving(name);
  const { definition, views } = wanted.content;
  const state = nextState(time.next, wanted, standing, rowState);
  refuseTooManyLeaving(state);
  const after = compileEntity(definition, state.version, state, views);
  const row: EntityRow = { state: 'active', version: state.version, updated_at: timestamp(time.now) };
  const asServed = { if: rowState === 'active' ? 'present' : 'absent' } as const;
  const changes: readonly Change[] = [
    entityRows.put(name, row, { if: asRead(standing.row) }),
    ...actions.map((action) =>
      action === 'create'
        ? entityStates.put(name, state, asServed)
        : activeApis.put(apiName(action, name), { version: wanted.versions[action] }, asServed),
    ),
  ];
  return { name, before: standing.compiled, after, state, returns: rowState === 'retired', changes };
}

function nextState(
  next: number,
  { content: { definition }, versions: { create: version }, erased = [] }: WantedEntity,
  { state, compiled }: CurrentEntity,
  rowState: EntityRow['state'] | 'absent',
): EntityState {
  if (state === undefined || compiled === undefined) return { ...newEntityState(definition, next), version };
  refuseOtherKeys(compiled.definition, definition);
  refuseErasing(definition, state);
  // What has failed is tried again.
  const isSame =
    isDeepStrictEqual(compiled.definition, definition) && [...state.indexes, ...(state.fills ?? [])].every(isSound);
  if (isSame && erased.length === 0 && rowState === 'active') return { ...state, version };
  const current = rowState === 'active' ? state : { ...state, indexes: state.indexes.map(unfinishedLeaves) };
  return { ...nextEntityState(current, { before: compiled.definition, after: definition, erased }, next), version };
}

/** What was lost must not come back to life under a name that is given again. */
function refuseErasing({ entityName, UpdateParams }: EntityDefinition, { erasing = [] }: EntityState): void {
  const early = UpdateParams.filter((field) => erasing.includes(storedNameOf(field))).map(({ name }) => `\`${name}\``);
  if (early.length === 0) return;
  const message = `the values of removed fields of \`${entityName}\` are still being erased: try again in a moment with ${early.join(', ')}`;
  throw new Problem('conflict', message, { kind: 'entity', name: entityName });
}

/**
 * While the entity was not served, its indexes were not finished either: they are rebuilt under other ids. What is
 * being dropped may still be read by.
 */
function unfinishedLeaves(index: IndexState): IndexState {
  return index.state === 'ready' || index.state === 'dropping' ? index : { ...index, state: 'erasing' };
}

function stillRemoving(name: string): Problem {
  return new Problem(
    'conflict',
    `the records of a removed entity \`${name}\` are still being removed: try again in a moment`,
    { kind: 'entity', name },
  );
}

/** Takes an entity and its configs away; its records go with it, or stay until their removal is requested. */
export function planEntityRemoval(
  { orgCode, next, now }: SwitchTime,
  { name, keepsRecords }: { readonly name: string; readonly keepsRecords: boolean },
  { row, state, compiled }: CurrentEntity,
): EntityStep {
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

function isSound({ state }: IndexState | FillState): boolean {
  return state !== 'failed';
}
