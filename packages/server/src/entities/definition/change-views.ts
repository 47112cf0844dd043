import { isDeepStrictEqual } from 'node:util';
import { type ConfigChange, type ConfigSet, changeConfig, planConfig } from '../../config/port.ts';
import {
  type ApiAction,
  apiName,
  contentOfBodies,
  type EntityContent,
  type EntityDefinition,
  lookedUpViews,
  refuseBadViews,
  viewSteps,
  withoutGenerated,
} from '../../schema/port.ts';
import { type EntityAdminDeps, type Moment, migrateEntity, unknownEntity } from '../plan-migration.ts';
import {
  type ApiChange,
  type ChangedApi,
  readConfigBodies,
  readMembers,
  requireConfigMatch,
  shownConfig,
} from './api-change.ts';
import { type NamedByEntity, readWithTargets, refuseOrphanedViews, unknownTargets } from './lookup-targets.ts';
import { type ChangePreview, withoutRecords } from './preview-change.ts';

interface ViewsChange extends ApiChange {
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

/** The effect of `changeViews`, of which nothing is done. Records have no part in it. */
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
  const isUndocumented = steps.length === 0 && !isDeepStrictEqual(was, is);
  const others = isUndocumented ? [{ change: 'definition_changed', message: undocumented(action, is) } as const] : [];
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
  const previous = await unknownTargets(set, namedByViews(before, { action, sent: before.views[action] }));
  await readWithTargets(set, { named, previous }, () => refuseBadViews(members, definition));
  await refuseOrphanedViews(set, { before, after });
  const versions = { ...active.versions, [action]: next };
  const target = { name: entityName, wanted: { content: after, versions } };
  const changed = { action: 'changed', api: apiName(action, entityName) } as const;
  const { changes } = await migrateEntity(deps, { orgCode, set, next }, target, changed);
  return { before, after, version: shown.version, changes };
}

/** The names of other entities in views that are sent for a config. */
function namedByViews(
  { definition, views }: EntityContent,
  { action, sent }: { readonly action: ApiAction; readonly sent: unknown },
): NamedByEntity {
  const { entityName, UpdateParams, Views } = definition;
  const own = action === 'get' ? sent : views.get;
  return { entityName, lookedUp: lookedUpViews(UpdateParams, sent, '/Views'), getViews: own ?? Views };
}

function withMembers(
  config: Readonly<Record<string, unknown>>,
  members: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const merged = Object.entries({ ...config, ...members });
  return Object.fromEntries(merged.filter(([, value]) => value !== null));
}

function undocumented(action: ApiAction, views: unknown): string {
  return `the views of \`${action}\` are ${views === undefined ? 'the definition’s' : 'its own'}`;
}
