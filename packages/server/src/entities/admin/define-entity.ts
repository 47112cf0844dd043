import { auditEntry } from '../../audit/audit-entry.ts';
import { timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import type { Change, Item, Scope } from '../../store/port.ts';
import { actions, apiName, generateConfigs } from '../api-configs.ts';
import { changeConfig } from '../change-config.ts';
import { type CompiledEntity, compileEntity, recordsMayMeet } from '../compile-entity.ts';
import { pointerValue } from '../config-reader.ts';
import type { ApiVersions, ConfigSet } from '../config-set.ts';
import { definitionLimits, type EntityDefinition } from '../definition.ts';
import { newEntityState } from '../entity-state.ts';
import { keepAnswer, type OnceRequest, once } from '../idempotency.ts';
import { itemChanged } from '../item-history.ts';
import { activeKey, type EntityRow, entityKey, versionKey } from '../org-keys.ts';
import { parseDefinition } from '../parse-definition.ts';
import { entitiesBeingRemoved } from '../purge-entity.ts';
import { referencesChange } from '../references/references-change.ts';
import { systemEntities } from '../system-entities.ts';
import { orgScopeName } from '../workspace.ts';
import type { EntityAdminParts } from './admin-parts.ts';
import { entityAudited } from './entity-audited.ts';
import { refuseUnknownTargets } from './lookup-targets.ts';

export interface DefinedEntity {
  readonly entityName: string;
  readonly apis: readonly string[];
  readonly version: number;
  readonly warnings?: readonly string[];
}

/** A definition that is asked for. */
export interface Defining {
  readonly orgCode: string;
  readonly input: unknown;
  /** The request that asks, where it is to count once. */
  readonly request?: OnceRequest | undefined;
}

/** Makes an entity and its five configs. @throws Problem `validation_failed`, `unknown_field`, `conflict`. */
export async function defineEntity(
  parts: EntityAdminParts,
  { orgCode, input, request }: Defining,
): Promise<DefinedEntity & { readonly isReplayed: boolean }> {
  const { definition, warnings } = parseDefinition(input);
  const { entityName } = definition;
  const apis = actions.map((action) => apiName(action, entityName));
  const defined = { entityName, apis, ...(warnings.length > 0 ? { warnings } : {}) };
  const scope = parts.store.scope(orgScopeName(orgCode));
  const outcome = await once(scope, request, () =>
    changeConfig(parts, orgCode, async (set, next) => {
      const kept = request === undefined ? [] : [keepAnswer(request, { ...defined, version: next }).change];
      const changes = [...(await definitionChanges(parts, { scope, definition, set, next })), ...kept];
      return { changes, refuse: (item) => alreadyThere(entityName, item), judged: entityKey(entityName) };
    }),
  );
  if ('done' in outcome) return { ...defined, version: outcome.done.version, isReplayed: false };
  return { ...(outcome.before.answer as DefinedEntity), isReplayed: true };
}

async function definitionChanges(
  { clock, occasion }: EntityAdminParts,
  { scope, definition, set, next }: { scope: Scope; definition: EntityDefinition; set: ConfigSet; next: number },
): Promise<readonly Change[]> {
  const { entityName } = definition;
  const state = newEntityState(definition, next);
  const compiled = compileEntity(definition, next, state);
  await refuseOverlap(scope, set, compiled);
  refuseUnknownTargets(set, definition);
  const row: EntityRow = { state: 'active', version: next, updated_at: timestamp(clock.now()) };
  const changes: Change[] = [{ kind: 'put', ...entityKey(entityName), value: JSON.stringify(row), if: 'absent' }];
  for (const [action, config] of generateConfigs(definition)) {
    const api = apiName(action, entityName);
    changes.push({ kind: 'put', ...versionKey(api, next), value: JSON.stringify(config), if: 'absent' });
    const pointer = action === 'create' ? JSON.stringify(state) : pointerValue(next);
    changes.push({ kind: 'put', ...activeKey(api), value: pointer, if: 'absent' });
  }
  const item = { kind: 'entity', name: entityName } as const;
  const configs = Object.fromEntries(actions.map((action) => [action, next])) as ApiVersions;
  return [
    ...changes,
    ...referencesChange(set, { name: entityName, compiled }, next),
    itemChanged(item, occasion, { version: next, action: 'created', configs }),
    auditEntry(occasion, entityAudited('entity.defined', entityName, { version: next })),
  ];
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
