import { setImmediate as nextTurn } from 'node:timers/promises';
import type { orgWorkspacesApi } from '@freehold/contract/management/workspaces';
import type { ReplyOf } from '@freehold/contract/route';
import { notFound } from '../lib/problem.ts';
import { type Cursors, countersOfWorkspace } from '../records/port.ts';
import type { RangeRead, Scope, Store } from '../store/port.ts';
import {
  type Environment,
  type OrgContext,
  orgScopeName,
  readHead,
  suspendedWorkspaces,
  type WorkspaceRow,
  workspaceScopeName,
  workspacesPartition,
  workspaceTable,
} from '../tenancy/port.ts';
import type { MembershipDeps } from './founding.ts';
import { resumeWorkspace, type SuspendCommand, type SuspendDeps, suspendWorkspace } from './suspend-workspace.ts';
import { foundWorkspace } from './workspaces.ts';

interface WorkspacesQuery {
  readonly env: Environment;
  readonly prefix: string | undefined;
  readonly state: 'suspended' | undefined;
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
}

interface WorkspaceOfBuilder {
  readonly name: string;
  readonly code: string | undefined;
  /** The org user. */
  readonly made_by: string;
}

type WorkspacesPage = ReplyOf<typeof orgWorkspacesApi.listOrgWorkspaces>;
type ShownOrgWorkspace = ReplyOf<typeof orgWorkspacesApi.readOrgWorkspace>;

interface OrgWorkspacesDeps extends SuspendDeps, MembershipDeps {
  readonly cursors: Cursors;
}

const codeForm = /^[a-z0-9-]{1,63}$/;

export type OrgWorkspaces = ReturnType<typeof createOrgWorkspaces>;

/** The workspaces of an org as its builders see them: what they are called and how large they are, and no record. */
export function createOrgWorkspaces(deps: OrgWorkspacesDeps) {
  return {
    /** @throws Problem `invalid_cursor`. */
    list: (orgCode: string, query: WorkspacesQuery) => listWorkspaces(deps, orgCode, query),
    /** Without members. @throws Problem `validation_failed`, `conflict`. */
    create: async (place: OrgContext, wanted: WorkspaceOfBuilder) => {
      const row = await foundWorkspace(deps, place, wanted);
      return summaryOf(await describe(deps.stores[place.env], place.orgCode, { ...row, state: 'ready' }));
    },
    /** @throws Problem `not_found`. */
    show: async (orgCode: string, env: Environment, code: string) => {
      const orgScope = deps.stores[env].scope(orgScopeName(orgCode));
      const row = codeForm.test(code) ? await workspaceTable.read(orgScope, code) : undefined;
      if (row === undefined || row.value.state === 'removed') throw notFound();
      return describe(deps.stores[env], orgCode, row.value);
    },
    /** Bars its members at once in this process. */
    suspend: (command: SuspendCommand, reason: string) => suspendWorkspace(deps, command, reason),
    resume: (command: SuspendCommand, reason: string | undefined) => resumeWorkspace(deps, command, reason),
  };
}

async function listWorkspaces(
  { stores, cursors }: OrgWorkspacesDeps,
  orgCode: string,
  { env, prefix = '', state, pageSize, nexttoken }: WorkspacesQuery,
): Promise<WorkspacesPage> {
  const store = stores[env];
  const orgScope = store.scope(orgScopeName(orgCode));
  const binding = ['org-workspaces', orgCode, env, prefix, ...(state === undefined ? [] : [state])];
  const after = nexttoken === undefined ? {} : { after: cursors.open(nexttoken, binding) };
  const start = prefix === '' ? {} : { prefix };
  const range = { ...start, ...after, limit: pageSize + 1 };
  const rows = state === 'suspended' ? await suspendedRows(orgScope, range) : await rowsIn(orgScope, range);
  const shown = rows.slice(0, pageSize);
  const items: WorkspacesPage['items'][number][] = [];
  for (const { row } of shown) {
    if (row === undefined || row.state === 'removed') continue;
    items.push(summaryOf(await describe(store, orgCode, row)));
    // Reads need not wait for anything, and others want to be served too.
    await nextTurn();
  }
  const last = rows.length > pageSize ? shown.at(-1) : undefined;
  return { items, nexttoken: last === undefined ? null : cursors.seal(last.sk, binding) };
}

function summaryOf({
  by_entity: _,
  default_member_access: __,
  ...summary
}: ShownOrgWorkspace): ReplyOf<typeof orgWorkspacesApi.createOrgWorkspace> {
  return summary;
}

interface DirectoryRow {
  readonly sk: string;
  readonly row: WorkspaceRow | undefined;
}

async function rowsIn(orgScope: Scope, range: RangeRead): Promise<readonly DirectoryRow[]> {
  const rows = await workspaceTable.range(orgScope, workspacesPartition, range);
  return rows.map(({ sk, value }) => ({ sk, row: value }));
}

async function suspendedRows(orgScope: Scope, range: RangeRead): Promise<readonly DirectoryRow[]> {
  const found = await suspendedWorkspaces.range(orgScope, suspendedWorkspaces.key('').pk, range);
  const codes = found.map(({ sk }) => sk);
  const rows = await workspaceTable.readMany(orgScope, codes);
  // Of a workspace that was resumed between the two reads nothing is shown.
  return codes.map((sk, index) => ({ sk, row: suspendedOnly(rows[index]?.value) }));
}

function suspendedOnly(row: WorkspaceRow | undefined): WorkspaceRow | undefined {
  return row?.suspended === undefined ? undefined : row;
}

async function describe(
  store: Store,
  orgCode: string,
  { id, code, name, state, created_at, suspended }: WorkspaceRow,
): Promise<ShownOrgWorkspace> {
  const scope = store.scope(workspaceScopeName(orgCode, code));
  // The head has the present name; the row of the org has the name that the workspace was founded with.
  const head = await readHead(scope);
  const { members, byEntity } = await countersOfWorkspace(scope);
  return {
    id,
    code,
    name: head?.name ?? name,
    state: state === 'ready' ? 'ready' : 'founding',
    suspended: suspended ?? null,
    created_at,
    members,
    records: Object.values(byEntity).reduce((sum, records) => sum + records, 0),
    default_member_access: head?.default_member_access ?? null,
    by_entity: byEntity,
  };
}
