import { auditEntry } from '../../audit/audit-entry.ts';
import type { ConfigSet } from '../../config/port.ts';
import { changeConfig, entityRows, itemChanged, newBodies, planConfig, sameVersions } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import { keepAnswer, type OnceRequest, once } from '../../records/port.ts';
import type { EntityDefinition } from '../../schema/port.ts';
import {
  actions,
  apiName,
  compilePatterns,
  type ParsedDefinition,
  parseDefinition,
  withOwnerFields,
} from '../../schema/port.ts';
import type { Change } from '../../store/port.ts';
import { orgScopeName } from '../../tenancy/port.ts';
import { type EntityAdminDeps, entityAudited } from '../admin-deps.ts';
import { planMigration } from '../plan-migration.ts';
import { namedByDefinition, readWithTargets } from './lookup-targets.ts';

/** What a definition would make. */
export interface PlannedEntity {
  readonly entityName: string;
  readonly apis: readonly string[];
  readonly warnings?: readonly string[];
}

export interface DefinedEntity extends PlannedEntity {
  readonly version: number;
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
  deps: EntityAdminDeps,
  { orgCode, input, request }: Defining,
): Promise<DefinedEntity & { readonly isReplayed: boolean }> {
  const { definition, defined } = await parseInOrg(deps, orgCode, input);
  const scope = deps.store.scope(orgScopeName(orgCode));
  const outcome = await once(scope, request, () =>
    changeConfig(deps, orgCode, async (set, next) => {
      const kept = request === undefined ? [] : [keepAnswer(request, { ...defined, version: next }).change];
      return { changes: [...(await definitionChanges(deps, { orgCode, definition, set, next })), ...kept] };
    }),
  );
  if ('done' in outcome) return { ...defined, version: outcome.done.version, isReplayed: false };
  return { ...(outcome.before.answer as DefinedEntity), isReplayed: true };
}

/** What `defineEntity` would make. Nothing is written. @throws Problem as `defineEntity`. */
export async function previewEntity(deps: EntityAdminDeps, orgCode: string, input: unknown): Promise<PlannedEntity> {
  const { definition, defined } = await parseInOrg(deps, orgCode, input);
  await planConfig(deps, orgCode, async (set, next) => ({
    changes: await definitionChanges(deps, { orgCode, definition, set, next }),
  }));
  return defined;
}

interface Parsed {
  readonly definition: EntityDefinition;
  readonly defined: PlannedEntity;
}

async function parseInOrg(deps: EntityAdminDeps, orgCode: string, input: unknown): Promise<Parsed> {
  const complete = withOwnerFields(input);
  const parsed = await parseWithTargets(deps, orgCode, complete.input);
  const { definition } = parsed;
  const warnings = [...complete.warnings, ...parsed.warnings];
  const { entityName } = definition;
  const apis = actions.map((action) => apiName(action, entityName));
  return { definition, defined: { entityName, apis, ...(warnings.length > 0 ? { warnings } : {}) } };
}

/**
 * Mistakes in the definition itself are reported with the missing items of the org; what is not, is looked at again
 * when it is made.
 */
async function parseWithTargets(deps: EntityAdminDeps, orgCode: string, input: unknown): Promise<ParsedDefinition> {
  await compilePatterns(input);
  try {
    return parseDefinition(input, { isNew: true });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const set = await deps.configs.current(orgCode);
    return await readWithTargets(set, { named: namedByDefinition(input) }, () =>
      parseDefinition(input, { isNew: true }),
    );
  }
}

async function definitionChanges(
  deps: EntityAdminDeps,
  { orgCode, definition, set, next }: Definition,
): Promise<readonly Change[]> {
  const { entityName: name } = definition;
  await refuseTaken(deps, orgCode, name);
  await readWithTargets(set, { named: namedByDefinition(definition) }, () => definition);
  const wanted = { content: { definition, views: {} }, versions: sameVersions(next) };
  const plan = await planMigration(deps, { orgCode, set, next, keepsRecords: false }, [{ name, wanted }]);
  const changed = { version: next, action: 'created', configs: wanted.versions } as const;
  return [
    ...newBodies(wanted.content, wanted.versions, next),
    ...plan.changes,
    itemChanged({ kind: 'entity', name }, deps.auditContext, changed),
    auditEntry(deps.auditContext, entityAudited('entity.defined', name, { version: next })),
  ];
}

interface Definition {
  readonly orgCode: string;
  readonly definition: EntityDefinition;
  readonly set: ConfigSet;
  readonly next: number;
}

async function refuseTaken({ store }: EntityAdminDeps, orgCode: string, entityName: string): Promise<void> {
  const row = await entityRows.read(store.scope(orgScopeName(orgCode)), entityName);
  if (row === undefined) return;
  const message =
    row.value.state === 'active'
      ? `entity \`${entityName}\` exists already`
      : `the records of a removed entity \`${entityName}\` are still being removed: try again in a moment`;
  throw new Problem('conflict', message);
}
