import { auditEntry } from '../../audit/audit-entry.ts';
import { invalidBody } from '../../lib/problem.ts';
import type { Change } from '../../store/port.ts';
import { apiName } from '../api-configs.ts';
import { type ConfigChange, changeConfig } from '../change-config.ts';
import { type CompiledEntity, compileEntity } from '../compile-entity.ts';
import type { ConfigSet } from '../config-set.ts';
import type { EntityDefinition } from '../definition.ts';
import { contentOfBodies } from '../entity-content.ts';
import { type EntityState, nextEntityState } from '../entity-state.ts';
import { itemChanged } from '../item-history.ts';
import { maintainWork } from '../maintain-entity.ts';
import { activeKey, versionKey } from '../org-keys.ts';
import { type ParsedDefinition, parseDefinition } from '../parse-definition.ts';
import { referencesChange } from '../references/references-change.ts';
import type { EntityAdminParts } from './admin-parts.ts';
import { type ApiChange, type ChangedApi, changedRow, readMembers, requireConfigMatch } from './api-change.ts';
import { changeWarnings } from './change-warnings.ts';
import { readConfigBodies, shownConfig } from './config-bodies.ts';
import { refuseOtherKeys, refuseTooManyLeaving, unfitViews } from './definition-limits.ts';
import { entityAudited } from './entity-audited.ts';
import { refuseUnknownTargets } from './lookup-targets.ts';
import { refuseFailing } from './refuse-failing.ts';
import { showIndexes } from './show-indexes.ts';
import { unknownEntity } from './unknown-entity.ts';

export interface DefinitionChange extends ApiChange {
  readonly entityName: string;
}

/** Merges what is sent into the definition of an entity that may have records. */
export async function changeDefinition(
  parts: EntityAdminParts,
  orgCode: string,
  change: DefinitionChange,
): Promise<ChangedApi> {
  const { entityName } = change;
  const api = apiName('create', entityName);
  let looked: number | undefined;
  const { version, planned } = await changeConfig(parts, orgCode, async (set, next) => {
    const plan = await planChange(parts, { orgCode, set, next }, change);
    // However often a plan is made anew, the records of one definition are looked at once.
    if (change.force !== true && looked !== plan.before.version) await refuseFailing(parts.store, { orgCode, ...plan });
    looked = plan.before.version;
    return plan;
  });
  parts.poke();
  const { state, warnings } = planned;
  const indexes = await showIndexes(parts.store, orgCode, { entityName, state });
  return { entityName, api, version, indexes, ...(warnings.length > 0 ? { warnings } : {}) };
}

interface ChangePlan extends ConfigChange {
  readonly before: CompiledEntity;
  readonly after: CompiledEntity;
  readonly config: ConfigSet;
  readonly state: EntityState;
  readonly warnings: readonly string[];
}

interface Moment {
  readonly orgCode: string;
  readonly set: ConfigSet;
  readonly next: number;
}

async function planChange(
  parts: EntityAdminParts,
  { orgCode, set, next }: Moment,
  { entityName, body, ifMatch }: DefinitionChange,
): Promise<ChangePlan> {
  const active = set.active(entityName);
  const before = await set.entity(entityName);
  if (active === undefined || before === undefined) throw unknownEntity(entityName);
  const configs = await readConfigBodies(parts.store, orgCode, { entityName, active });
  const shown = shownConfig(configs, 'create');
  requireConfigMatch(shown, ifMatch);
  const { definition, warnings } = mergeDefinition(before.definition, readMembers(shown, body));
  refuseOtherKeys(before.definition, definition);
  refuseUnknownTargets(set, definition);
  const unfit = unfitViews({ ...contentOfBodies(configs.bodies), definition });
  if (unfit.length > 0) throw invalidBody(unfit);
  const now = parts.clock.now();
  const api = apiName('create', entityName);
  const change = { before: before.definition, after: definition };
  const state = nextEntityState(active.state, change, next);
  refuseTooManyLeaving(state);
  const after = compileEntity(definition, next, state);
  const references = referencesChange(set, { name: entityName, compiled: after }, next);
  const isSettled = references.length === 0 && state.indexes.every((index) => index.state === 'ready');
  const changes: readonly Change[] = [
    {
      kind: 'put',
      ...versionKey(api, next),
      value: JSON.stringify(definition),
      if: 'absent',
    },
    { kind: 'put', ...activeKey(api), value: JSON.stringify(state), if: 'present' },
    changedRow(entityName, next, now),
    ...references,
    itemChanged({ kind: 'entity', name: entityName }, parts.occasion, {
      version: next,
      action: 'changed',
      configs: { ...active.versions, create: next },
    }),
    auditEntry(parts.occasion, entityAudited('entity.changed', entityName, { api, version: next })),
    ...(isSettled ? [] : [maintainWork({ orgCode, entityName, version: next }, now)]),
  ];
  return { changes, before, after, config: set, state, warnings: [...warnings, ...changeWarnings(change)] };
}

/** Members that a definition may be without. */
const optionalMembers = ['baseKeys', 'ownerIndexes', 'parentIndex', 'UniqueIndexes', 'Views'];

function mergeDefinition(standing: EntityDefinition, members: Readonly<Record<string, unknown>>): ParsedDefinition {
  const isTakenOut = (member: string, value: unknown): boolean => value === null && optionalMembers.includes(member);
  const merged = Object.entries({ ...standing, ...members });
  return parseDefinition(Object.fromEntries(merged.filter(([member, value]) => !isTakenOut(member, value))));
}
