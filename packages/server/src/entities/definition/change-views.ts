import { isDeepStrictEqual } from 'node:util';
import type { InputError } from '@freehold/contract/problem';
import { auditEntry } from '../../audit/audit-entry.ts';
import type { ConfigSet } from '../../config/port.ts';
import { type ConfigChange, changeConfig, itemChanged, newBodies, planConfig } from '../../config/port.ts';
import { invalidBody } from '../../lib/problem.ts';
import {
  type ApiAction,
  type ApiConfig,
  apiName,
  contentOfBodies,
  definitionLimits,
  type EntityContent,
  type EntityDefinition,
  generatedViews,
  isObject,
  lookedUpViews,
  parseViews,
  refuseUnknownMembers,
  type Views,
  viewNamed,
} from '../../schema/port.ts';
import { type EntityAdminDeps, entityAudited, unknownEntity } from '../admin-deps.ts';
import { planMigration } from '../plan-migration.ts';
import {
  type ApiChange,
  type ChangedApi,
  readConfigBodies,
  readMembers,
  requireConfigMatch,
  shownConfig,
} from './api-change.ts';
import { otherStep, viewSteps } from './change-steps.ts';
import { type NamedByEntity, readWithTargets, refuseOrphanedViews, unknownTargets } from './lookup-targets.ts';
import type { Moment } from './plan-change.ts';
import { type ChangePreview, withoutRecords } from './preview-change.ts';

export interface ViewsChange extends ApiChange {
  readonly entityName: string;
  readonly action: Exclude<ApiAction, 'create'>;
}

/** Gives a config views of its own in place of the definition's; `null` gives it those again. */
export async function changeViews(deps: EntityAdminDeps, orgCode: string, change: ViewsChange): Promise<ChangedApi> {
  const { entityName, action } = change;
  const plan: PlanViews = (set, next) => planViews(deps, { orgCode, set, next }, change);
  const { version } = await changeConfig(deps, orgCode, plan);
  return { entityName, api: apiName(action, entityName), version };
}

/** What `changeViews` would do, of which nothing is done. Records have no part in it. */
export async function previewViews(
  deps: EntityAdminDeps,
  orgCode: string,
  change: ViewsChange,
): Promise<ChangePreview> {
  const { action } = change;
  const plan: PlanViews = (set, next) => planViews(deps, { orgCode, set, next }, change);
  const { before, after, version } = await planConfig(deps, orgCode, plan);
  const [was, is] = [before.views[action], after.views[action]];
  const { Views } = before.definition;
  const steps = viewSteps(was ?? Views, is ?? Views, ` of \`${action}\``);
  const isUntold = steps.length === 0 && !isDeepStrictEqual(was, is);
  const others = isUntold
    ? [otherStep(`the views of \`${action}\` are ${is === undefined ? 'the definition’s' : 'its own'}`)]
    : [];
  return { version, plan: [...steps, ...others].map(withoutRecords), would_fail: false, would_lose: false };
}

interface ViewsPlan extends ConfigChange {
  readonly before: EntityContent;
  readonly after: EntityContent;
  /** The version of the config that changes. */
  readonly version: number;
}

type PlanViews = (set: ConfigSet, next: number) => Promise<ViewsPlan>;

async function planViews(
  deps: EntityAdminDeps,
  { orgCode, set, next }: Moment,
  { entityName, action, ...change }: ViewsChange,
): Promise<ViewsPlan> {
  const active = set.active(entityName);
  if (active === undefined) throw unknownEntity(entityName);
  const configs = await readConfigBodies(deps.store, orgCode, { entityName, active });
  const shown = shownConfig(configs, action);
  requireConfigMatch(shown, change);
  const definition = configs.bodies.create as unknown as EntityDefinition;
  const members = withoutGenerated(readMembers(shown, change.body), definition);
  const bodies = { ...configs.bodies, [action]: withMembers(configs.bodies[action], members) };
  const [before, after] = [contentOfBodies(configs.bodies), contentOfBodies(bodies)];
  const named = namedByViews(before, { action, sent: members.Views });
  const stood = await unknownTargets(set, namedByViews(before, { action, sent: before.views[action] }));
  await readWithTargets(set, { named, stood }, () => refuseBadViews(members, definition));
  await refuseOrphanedViews(set, { before, after });
  const versions = { ...active.versions, [action]: next };
  const target = { name: entityName, wanted: { content: after, versions } };
  const plan = await planMigration(deps, { orgCode, set, next, keepsRecords: false }, [target]);
  const changed = { version: next, action: 'changed', configs: versions } as const;
  const api = apiName(action, entityName);
  return {
    before,
    after,
    version: shown.version,
    changes: [
      ...newBodies(target.wanted.content, versions, next),
      ...plan.changes,
      itemChanged({ kind: 'entity', name: entityName }, deps.auditContext, changed),
      auditEntry(deps.auditContext, entityAudited('entity.changed', entityName, { api, version: next })),
    ],
  };
}

/** What views that are sent for a config name of others. */
function namedByViews(
  { definition, views }: EntityContent,
  { action, sent }: { readonly action: ApiAction; readonly sent: unknown },
): NamedByEntity {
  const { entityName, UpdateParams, Views } = definition;
  const own = action === 'get' ? sent : views.get;
  return { entityName, lookedUp: lookedUpViews(UpdateParams, sent, '/Views'), getViews: own ?? Views };
}

/** A config is shown with its generated views: one that is sent back as it was goes on following the catalog. */
function withoutGenerated(
  members: Readonly<Record<string, unknown>>,
  definition: EntityDefinition,
): Readonly<Record<string, unknown>> {
  if (!isObject(members.Views)) return members;
  const generated: Views = generatedViews(definition);
  const isOwn = ([name, view]: [string, unknown]): boolean => !isDeepStrictEqual(view, viewNamed(generated, name));
  return { ...members, Views: Object.fromEntries(Object.entries(members.Views).filter(isOwn)) };
}

function refuseBadViews(members: Readonly<Record<string, unknown>>, definition: EntityDefinition): void {
  const errors: InputError[] = [];
  const add = (pointer: string, code: string, message: string): void => {
    errors.push({ pointer, code, message });
  };
  refuseUnknownMembers({ item: members, pointer: '' }, { what: 'what a config can change', known: ['Views'] }, add);
  const { Views = null } = members;
  if (Buffer.byteLength(JSON.stringify(Views)) > definitionLimits.bytesMax)
    add('/Views', 'too_long', `\`Views\` may have at most ${definitionLimits.bytesMax} bytes`);
  else if (Views !== null) parseViews(Views, definition.UpdateParams, add);
  if (errors.length > 0) throw invalidBody(errors);
}

function withMembers(config: ApiConfig, members: Readonly<Record<string, unknown>>): ApiConfig {
  const merged = Object.entries({ ...config, ...members });
  return Object.fromEntries(merged.filter(([, value]) => value !== null));
}
