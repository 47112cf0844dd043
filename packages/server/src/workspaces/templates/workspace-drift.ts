/** The way the workspaces of an org differ from its template, as builders see it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { workspaceTemplatesApi } from '@freehold/contract/management/settings/workspace-templates';
import type { ReplyOf } from '@freehold/contract/route';
import { type ConfigReader, settingOf } from '../../config/port.ts';
import {
  compareTemplate,
  contentDigest,
  planTemplate,
  platformGroups,
  platformPolicies,
  type WorkspaceTemplates,
  workspaceTemplates,
} from '../../iam/port.ts';
import { notFound } from '../../lib/problem.ts';
import { type Cursors, directPartition, systemData } from '../../records/port.ts';
import { systemEntity } from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import {
  type Environment,
  openWorkspace,
  orgScopeName,
  readHead,
  type Workspace,
  type WorkspaceRow,
  workspacesPartition,
  workspaceTable,
} from '../../tenancy/port.ts';

interface DriftQuery {
  readonly env: Environment;
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
}

type DriftPage = ReplyOf<typeof workspaceTemplatesApi.listWorkspaceDrift>;
type ShownDrift = ReplyOf<typeof workspaceTemplatesApi.readWorkspaceDrift>;

export interface DriftDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly cursors: Cursors;
}

export function createWorkspaceDrifts(deps: DriftDeps) {
  return {
    /** @throws Problem `invalid_cursor`. */
    list: (orgCode: string, query: DriftQuery) => listDrift(deps, orgCode, query),
    /** @throws Problem `not_found`. */
    show: (orgCode: string, query: { env: Environment; code: string; replacesLocal: boolean }) =>
      showDrift(deps, orgCode, query),
  };
}

export async function templatesOf(
  { configs }: Pick<DriftDeps, 'configs'>,
  { env, orgCode }: { readonly env: Environment; readonly orgCode: string },
): Promise<WorkspaceTemplates> {
  return settingOf(await configs[env].current(orgCode), env, workspaceTemplates);
}

async function listDrift(
  deps: DriftDeps,
  orgCode: string,
  { env, pageSize, nexttoken }: DriftQuery,
): Promise<DriftPage> {
  const orgScope = deps.stores[env].scope(orgScopeName(orgCode));
  const templates = await templatesOf(deps, { env, orgCode });
  const binding = ['workspace-drift', orgCode, env];
  const after = nexttoken === undefined ? {} : { after: deps.cursors.open(nexttoken, binding) };
  const rows = await workspaceTable.range(orgScope, workspacesPartition, { ...after, limit: pageSize + 1 });
  const items: DriftPage['items'][number][] = [];
  for (const { value: row } of rows.slice(0, pageSize)) {
    if (row.state !== 'ready') continue;
    items.push(await summary(openWorkspace(deps, { env, orgCode }, row), row, templates));
    // Reads need not wait for anything, and others want to be served too.
    await nextTurn();
  }
  const last = rows.length > pageSize ? rows[pageSize - 1] : undefined;
  return { items, nexttoken: last === undefined ? null : deps.cursors.seal(last.sk, binding) };
}

const extrasMax = 1000;

async function summary(
  workspace: Workspace,
  row: WorkspaceRow,
  templates: WorkspaceTemplates,
): Promise<DriftPage['items'][number]> {
  const { items, mark, platform } = await compareTemplate(workspace, templates);
  const counted = await Promise.all(
    (['aclpolicy', 'group'] as const).map((entity) =>
      workspace.scope.count(directPartition(systemEntity(entity), workspace), {}, extrasMax),
    ),
  );
  const there = items.filter(({ stored }) => stored !== undefined).length + platform;
  const differences = items.filter(({ state }) => state !== 'same');
  return {
    ...(await madeWith(workspace, row, { templates, mark: mark?.value })),
    missing: differences.filter(({ state }) => state === 'missing').length,
    changed: differences.filter(({ state }) => state === 'changed').length,
    local: differences.filter(({ isLocal }) => isLocal).length,
    extra: Math.min(extrasMax, Math.max(0, counted.reduce((sum, one) => sum + one, 0) - there)),
  };
}

async function madeWith(
  workspace: Workspace,
  { code, name }: WorkspaceRow,
  {
    templates,
    mark,
  }: { readonly templates: WorkspaceTemplates; readonly mark: { digest: string; at: string } | undefined },
) {
  // The head has the present name; the row of the org has the name that the workspace was founded with.
  const head = await readHead(workspace.scope);
  const isCurrent = mark?.digest === contentDigest(templates);
  const made_with = mark === undefined ? 'unknown' : isCurrent ? 'current' : 'earlier';
  return { code, name: head?.name ?? name, made_with, applied_at: mark?.at ?? null } as const;
}

const shownExtrasMax = 100;

async function showDrift(
  deps: DriftDeps,
  orgCode: string,
  { env, code, replacesLocal }: { env: Environment; code: string; replacesLocal: boolean },
): Promise<ShownDrift> {
  const row = await readyWorkspace(deps, { env, orgCode }, code);
  if (row === undefined) throw notFound();
  const templates = await templatesOf(deps, { env, orgCode });
  const workspace = openWorkspace(deps, { env, orgCode }, row);
  const { items, mark } = await planTemplate(workspace, templates, { replacesLocal });
  const extras = await Promise.all([
    extrasOf(workspace, 'policy', [...platformPolicies, ...templates.policies.map(({ name }) => name)]),
    extrasOf(workspace, 'group', [...platformGroups, ...templates.groups.map(({ name }) => name)]),
  ]);
  return {
    ...(await madeWith(workspace, row, { templates, mark: mark?.value })),
    items: items.map(({ kind, name, stored, state, isLocal, step, before, after, widens }) => ({
      ...{ kind, name, id: stored?.id ?? null, state, is_local: isLocal },
      ...{ step, before, after, widens },
    })),
    extras: extras.flatMap(({ found }) => found),
    extras_complete: extras.every(({ isComplete }) => isComplete),
  };
}

/** A workspace that admits callers, by its code. */
export async function readyWorkspace(
  { stores }: Pick<DriftDeps, 'stores'>,
  { env, orgCode }: { readonly env: Environment; readonly orgCode: string },
  code: string,
): Promise<WorkspaceRow | undefined> {
  if (!/^[a-z0-9-]{1,63}$/.test(code)) return undefined;
  const row = await workspaceTable.read(stores[env].scope(orgScopeName(orgCode)), code);
  return row?.value.state === 'ready' ? row.value : undefined;
}

/** Looks at no more than it could show beside the names that are no extras. */
async function extrasOf(workspace: Workspace, kind: 'policy' | 'group', known: readonly string[]) {
  const entity = systemEntity(kind === 'policy' ? 'aclpolicy' : 'group');
  const limit = shownExtrasMax + known.length + 1;
  const records = await workspace.scope.range(directPartition(entity, workspace), { limit });
  const extras = records.map((item) => systemData(item)).filter(({ name }) => !known.includes(String(name)));
  const found = extras.slice(0, shownExtrasMax).map(({ id, name }) => ({ kind, id, name: String(name) }));
  return { found, isComplete: records.length < limit && extras.length <= shownExtrasMax };
}
