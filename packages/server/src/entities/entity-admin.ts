import { type Clock, timestamp } from '../lib/clock.ts';
import { notFound, Problem } from '../lib/problem.ts';
import type { Change, Item, Scope, Store } from '../store/port.ts';
import { type ApiAction, actions, activeConfigKey, apiName, generateConfigs } from './api-configs.ts';
import { changeConfig } from './change-config.ts';
import { type CompiledEntity, compileEntity, recordsMayMeet } from './compile-entity.ts';
import { type ConfigReader, pointerValue, readPointer } from './config-reader.ts';
import type { ConfigSet } from './config-set.ts';
import { definitionLimits, type EntityDefinition } from './definition.ts';
import { newEntityState } from './entity-state.ts';
import { activeKey, type EntityRow, entityKey, versionKey } from './org-keys.ts';
import { parseDefinition } from './parse-definition.ts';
import { entitiesBeingRemoved, purgeWork } from './purge-entity.ts';
import { recordCounter } from './record-changes.ts';
import { systemEntities } from './system-entities.ts';
import { orgScopeName, workspaceScopeName } from './workspace.ts';
import { workspaceRows } from './workspace-directory.ts';

/** The management side of entities, in one environment: define, show, remove. */
export interface EntityAdmin {
  define(orgCode: string, input: unknown): Promise<DefinedEntity>;
  list(orgCode: string): Promise<readonly EntitySummary[]>;
  /** The five configs. @throws Problem `not_found`. */
  show(orgCode: string, entityName: string): Promise<Readonly<Record<string, unknown>>>;
  /** The definition that is live, as it was supplied. */
  definition(orgCode: string, entityName: string): Promise<EntityDefinition | undefined>;
  remove(orgCode: string, entityName: string): Promise<void>;
}

export interface DefinedEntity {
  readonly entityName: string;
  readonly apis: readonly string[];
  readonly version: number;
  readonly warnings?: readonly string[];
}

export interface EntitySummary {
  readonly name: string;
  readonly apis: readonly string[];
  readonly records: number;
  readonly updated_at: string;
}

export interface EntityAdminParts {
  readonly store: Store;
  readonly configs: ConfigReader;
  readonly clock: Clock;
  /** Tells the job runner that there is work. */
  readonly poke: () => void;
}

export function createEntityAdmin(parts: EntityAdminParts): EntityAdmin {
  return {
    define: (orgCode, input) => define(parts, orgCode, input),
    list: (orgCode) => list(parts, orgCode),
    show: (orgCode, entityName) => show(parts, orgCode, entityName),
    definition: (orgCode, entityName) => definitionOf(parts, orgCode, entityName),
    remove: (orgCode, entityName) => remove(parts, orgCode, entityName),
  };
}

async function define(parts: EntityAdminParts, orgCode: string, input: unknown): Promise<DefinedEntity> {
  const { definition, warnings } = parseDefinition(input);
  const { entityName } = definition;
  const apis = actions.map((action) => apiName(action, entityName));
  const version = await changeConfig(parts, orgCode, async (set, next) => {
    await refuseOverlap(parts.store.scope(orgScopeName(orgCode)), set, compileEntity(definition, next));
    const row: EntityRow = { state: 'active', version: next, updated_at: timestamp(parts.clock.now()) };
    const changes: Change[] = [{ kind: 'put', ...entityKey(entityName), value: JSON.stringify(row), if: 'absent' }];
    for (const [action, config] of generateConfigs(definition)) {
      const api = apiName(action, entityName);
      changes.push({ kind: 'put', ...versionKey(api, next), value: JSON.stringify(config), if: 'absent' });
      const pointer = action === 'create' ? JSON.stringify(newEntityState(definition, next)) : pointerValue(next);
      changes.push({ kind: 'put', ...activeKey(api), value: pointer, if: 'absent' });
    }
    return { changes, refuse: (item) => alreadyThere(entityName, item), judged: entityKey(entityName) };
  });
  return { entityName, apis, version, ...(warnings.length > 0 ? { warnings } : {}) };
}

function alreadyThere(entityName: string, item: Item): Problem {
  const { state } = JSON.parse(item.value) as EntityRow;
  const message =
    state === 'active'
      ? `entity \`${entityName}\` exists already`
      : `the records of a removed entity \`${entityName}\` are still being removed: try again in a moment`;
  return new Problem('conflict', message);
}

async function refuseOverlap(orgScope: Scope, set: ConfigSet, made: CompiledEntity): Promise<void> {
  if (set.entityNames.length >= definitionLimits.entitiesMax)
    throw new Problem('conflict', `an org may have at most ${definitionLimits.entitiesMax} entities`);
  const others = (name: string): boolean => name !== made.name;
  for (const name of [...set.entityNames, ...systemEntities.keys()].filter(others)) {
    const other = await set.entity(name);
    if (other !== undefined && recordsMayMeet(made, other))
      throw new Problem('conflict', `the key templates could give keys of entity \`${name}\``);
  }
  // Their removal goes by their keys, so it would take the records of whoever had those keys meanwhile.
  for (const other of (await entitiesBeingRemoved(orgScope)).filter(({ name }) => others(name)))
    if (recordsMayMeet(made, other))
      throw new Problem(
        'conflict',
        `the key templates could give keys of the removed entity \`${other.name}\`, whose records are still being removed: try again in a moment`,
      );
}

async function list(parts: EntityAdminParts, orgCode: string): Promise<readonly EntitySummary[]> {
  const set = await parts.configs.current(orgCode);
  const scope = parts.store.scope(orgScopeName(orgCode));
  const rows = await scope.get(set.entityNames.map(entityKey));
  const records = await countRecords(parts.store, orgCode, set.entityNames);
  return set.entityNames.map((name, index) => ({
    name,
    apis: actions.map((action) => apiName(action, name)),
    records: records[index] ?? 0,
    updated_at: rowOf(rows[index])?.updated_at ?? '',
  }));
}

/** The sums over the org's workspaces of the counters that each keeps. */
async function countRecords(store: Store, orgCode: string, names: readonly string[]): Promise<readonly number[]> {
  const sums = names.map(() => 0);
  for await (const { code } of workspaceRows(store.scope(orgScopeName(orgCode)))) {
    const counters = await store.scope(workspaceScopeName(orgCode, code)).get(names.map(recordCounter));
    for (const [index, counter] of counters.entries()) sums[index] = (sums[index] ?? 0) + Number(counter?.value ?? 0);
  }
  return sums;
}

async function show(
  parts: EntityAdminParts,
  orgCode: string,
  entityName: string,
): Promise<Readonly<Record<string, unknown>>> {
  const scope = parts.store.scope(orgScopeName(orgCode));
  const pointers = await scope.get(actions.map((action) => activeKey(apiName(action, entityName))));
  const shown: Record<string, unknown> = { entityName };
  for (const [index, action] of actions.entries()) {
    const pointer = pointers[index];
    if (pointer === undefined) throw unknownEntity(entityName);
    shown[action] = await showConfig(scope, { action, entityName, version: readPointer(pointer.value) });
  }
  return shown;
}

async function showConfig(
  scope: ReturnType<Store['scope']>,
  config: { readonly action: ApiAction; readonly entityName: string; readonly version: number },
): Promise<Readonly<Record<string, unknown>>> {
  const api = apiName(config.action, config.entityName);
  const [body] = await scope.get([versionKey(api, config.version)]);
  if (body === undefined) throw new Error('the body of a live config is missing');
  const content = JSON.parse(body.value) as Readonly<Record<string, unknown>>;
  return { key: activeConfigKey(api), version: config.version, ...content };
}

async function definitionOf(
  parts: EntityAdminParts,
  orgCode: string,
  entityName: string,
): Promise<EntityDefinition | undefined> {
  const version = (await parts.configs.current(orgCode)).active(entityName)?.state.version;
  if (version === undefined) return undefined;
  const scope = parts.store.scope(orgScopeName(orgCode));
  const [body] = await scope.get([versionKey(apiName('create', entityName), version)]);
  return body === undefined ? undefined : (JSON.parse(body.value) as EntityDefinition);
}

async function remove(parts: EntityAdminParts, orgCode: string, entityName: string): Promise<void> {
  await changeConfig(parts, orgCode, async (set, next) => {
    const removed = set.active(entityName)?.state;
    if (removed === undefined) throw unknownEntity(entityName);
    const now = parts.clock.now();
    const { version } = removed;
    const row: EntityRow = { state: 'removing', version, removal: next, removed, updated_at: timestamp(now) };
    const pointers = actions.map((action) => activeKey(apiName(action, entityName)));
    const changes: Change[] = [
      { kind: 'put', ...entityKey(entityName), value: JSON.stringify(row), if: 'present' },
      ...pointers.map((key): Change => ({ kind: 'remove', ...key, if: 'present' })),
      purgeWork({ orgCode, entityName, removal: next }, now),
    ];
    return { changes };
  });
  parts.poke();
}

function rowOf(item: Item | undefined): EntityRow | undefined {
  return item === undefined ? undefined : (JSON.parse(item.value) as EntityRow);
}

function unknownEntity(entityName: string): Problem {
  const { code } = notFound();
  return new Problem(code, `there is no entity \`${entityName.slice(0, 100)}\``);
}
