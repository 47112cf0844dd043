import type { accessApi } from '@freehold/contract/management/access';
import type { ReplyOf } from '@freehold/contract/route';
import { systemEntityNames } from '@freehold/contract/system-entities';
import {
  type AccessContext,
  type AttachedPolicy,
  type CompiledAccess,
  compilePolicies,
  type Explanation,
  routeOfVerb,
  type Verb,
  verbs,
} from '../../access/port.ts';
import type { ConfigSet } from '../../config/port.ts';
import { Problem } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { directPartition, type RecordData, systemData } from '../../records/port.ts';
import { systemEntity } from '../../schema/port.ts';
import { type Environment, findWorkspace, shareKeyOf, type Workspace } from '../../tenancy/port.ts';
import { decisiveStatement, describeDecision } from '../decisions/describe-decision.ts';
import { lintBlocks } from '../linted-config.ts';
import { memberOf } from '../members/member.ts';
import { heldPolicies, recordKey, rememberingReader } from '../policies/held-policies.ts';
import { describeExcess } from '../policies/resolve-access.ts';
import { type AccessReadDeps, callerOf } from './simulate.ts';

export interface MatrixQuery {
  readonly env: Environment;
  readonly tenantCode: string;
  /** One entity alone. */
  readonly entityName: string | undefined;
  /** One member alone. */
  readonly userId: string | undefined;
  /** Whether the caller may learn what a condition decides: it may compare values of `user` records. */
  readonly showsConditions: boolean;
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
}

type MatrixPage = ReplyOf<typeof accessApi.readAccessMatrix>;
type MatrixRow = MatrixPage['items'][number];
/** The decision on a record that no statement names by its id. */
type MatrixCell = MatrixRow['entities'][string][Verb];

/** More of them in one answer would delay all other callers. */
const cellsMax = 2000;

/**
 * The access matrix of a workspace: each member with each verb on each entity, and the statement that it comes from.
 * @throws Problem `not_found` for a workspace, an entity or a member that is not there, `invalid_cursor`.
 */
export async function readMatrix(deps: AccessReadDeps, orgCode: string, query: MatrixQuery): Promise<MatrixPage> {
  const { env, tenantCode, entityName, userId, showsConditions, pageSize, nexttoken } = query;
  const workspace = await findWorkspace(deps.stores, { env, orgCode, tenantCode });
  const config = await deps.configs[env].current(orgCode);
  const names = [...new Set([...config.entityNames, ...systemEntityNames])].sort();
  if (entityName !== undefined && !names.includes(entityName))
    throw new Problem('not_found', `there is no entity \`${entityName.slice(0, 100)}\` in \`${env}\``);
  const shown = entityName === undefined ? names : [entityName];
  const binding = ['acl-matrix', env, workspace.scope.name, entityName ?? '', userId ?? ''];
  const after = nexttoken === undefined ? undefined : deps.cursors.open(nexttoken, binding);
  const blocks = entityName === undefined ? lintBlocks(config).toSorted() : [];
  const cells = shown.length * verbs.length + blocks.length;
  const limit = Math.max(1, Math.min(pageSize, Math.floor(cellsMax / cells)));
  const members =
    userId === undefined ? await membersAfter(workspace, after, limit + 1) : [await memberOf(workspace, userId)];
  const columns = { namings: await namingsOf(config, shown), blocks, showsConditions };
  const rows = rowMaker(workspace, columns, deps.clock.now());
  const items: MatrixRow[] = [];
  // One after the other, so that what one member holds is known when the next is looked at.
  for (const member of members.slice(0, limit)) items.push(await rows(member));
  const last = items.at(-1);
  const isMore = last !== undefined && members.length > limit;
  return { items, nexttoken: isMore ? deps.cursors.seal(last.user_id, binding) : null };
}

async function membersAfter(
  workspace: Workspace,
  userId: string | undefined,
  limit: number,
): Promise<readonly RecordData[]> {
  const after = userId === undefined ? {} : { after: recordKey(workspace, 'user', userId).sk };
  const items = await workspace.scope.range(directPartition(systemEntity('user'), workspace), { limit, ...after });
  return items.map(systemData);
}

/** The way the fields of an entity are called, by its name. */
type Namings = ReadonlyMap<string, AccessContext['naming']>;

async function namingsOf(config: ConfigSet, entityNames: readonly string[]): Promise<Namings> {
  const namings = new Map<string, AccessContext['naming']>();
  for (const name of entityNames) namings.set(name, (await config.entity(name))?.naming);
  return namings;
}

interface Columns {
  readonly namings: Namings;
  /** The names of logic blocks. */
  readonly blocks: readonly string[];
  readonly showsConditions: boolean;
}

function rowMaker(workspace: Workspace, { namings, blocks, showsConditions }: Columns, now: number) {
  const read = rememberingReader();
  const compiled = new Map<string, CompiledAccess>();
  const pause = createYielder(shareKeyOf(workspace));
  return async (member: RecordData): Promise<MatrixRow> => {
    const { id, email, role, status } = member;
    const access = compileOnce(compiled, await heldPolicies(workspace, id, read));
    const tenant = { id: workspace.tenantId, code: workspace.tenantCode };
    const place = { ...callerOf(workspace, member), tenant, now, showsConditions };
    const entities: (readonly [string, MatrixRow['entities'][string]])[] = [];
    for (const [entityName, naming] of namings)
      entities.push([entityName, await cellsOf(access, { entityName, place: { ...place, naming }, pause })]);
    const logicblocks: (readonly [string, MatrixCell])[] = [];
    for (const name of blocks) {
      await pause();
      logicblocks.push([name, runCell(access, name, place)]);
    }
    return {
      user_id: id,
      email: String(email),
      role: String(role ?? ''),
      status: String(status ?? ''),
      entities: Object.fromEntries(entities),
      logicblocks: Object.fromEntries(logicblocks),
    };
  };
}

/** Most members hold the same policies. */
function compileOnce(compiled: Map<string, CompiledAccess>, held: readonly AttachedPolicy[]): CompiledAccess {
  const key = JSON.stringify(held.map(({ policyId, via }) => [policyId, via]));
  const access = compiled.get(key) ?? compilePolicies(held);
  compiled.set(key, access);
  return access;
}

type MatrixCaller = Pick<AccessContext, 'user' | 'tenant' | 'jwt' | 'naming'> & {
  readonly now: number;
  readonly showsConditions: boolean;
};

interface RowOfCells {
  readonly entityName: string;
  readonly place: MatrixCaller;
  /** Is asked between two cells. */
  readonly pause: () => Promise<void> | undefined;
}

async function cellsOf(
  access: CompiledAccess,
  { entityName, place, pause }: RowOfCells,
): Promise<Readonly<Record<Verb, MatrixCell>>> {
  const excess = describeExcess(access);
  const cells: (readonly [Verb, MatrixCell])[] = [];
  for (const verb of verbs) {
    await pause();
    const denied: MatrixCell = { decision: 'implicit_deny' };
    cells.push([verb, excess === undefined ? cellOf(access, { verb, entityName }, place) : denied]);
  }
  return Object.fromEntries(cells) as Record<Verb, MatrixCell>;
}

function cellOf(
  access: CompiledAccess,
  { verb, entityName }: { readonly verb: Verb; readonly entityName: string },
  place: MatrixCaller,
): MatrixCell {
  const { method, resource } = routeOfVerb({ verb, entityName }, anyRecord);
  return decidedCell(access, place, {
    action: verb + entityName,
    ...{ method, path: resource, pathParameters: { entity: entityName, id: anyRecord } },
    pending: verb === 'browse' ? [] : ['record', 'body'],
  });
}

/** Of a block that is called with nothing in the path after its name. */
function runCell(access: CompiledAccess, name: string, place: MatrixCaller): MatrixCell {
  if (describeExcess(access) !== undefined) return { decision: 'implicit_deny' };
  const request = { method: 'POST', path: `/logicblocks/${name}`, pathParameters: { name } };
  return decidedCell(access, place, { action: `run${name}`, ...request, pending: ['body'] });
}

interface CellRequest extends Pick<AccessContext['request'], 'method' | 'path' | 'pathParameters'> {
  readonly action: string;
  readonly pending: NonNullable<AccessContext['pending']>;
}

function decidedCell(
  access: CompiledAccess,
  { now, showsConditions, ...caller }: MatrixCaller,
  { action, pending, ...request }: CellRequest,
): MatrixCell {
  const context = (): AccessContext => ({
    ...caller,
    request: { ...request, queryParameters: new Map(), ip: '127.0.0.1', time: now },
    pending,
  });
  const explanation = access.explain(action, request.path, context);
  const isConditional = dependsOnConditions(explanation);
  if (isConditional && !showsConditions) return { decision: 'undecided', conditional: true };
  const described = describeDecision(explanation);
  const { policy, policy_id, group, Sid, Fields, renamed } = decisiveStatement(described) ?? {};
  return {
    decision: described.decision,
    ...(policy === undefined ? {} : { policy }),
    ...(policy_id === undefined ? {} : { policy_id }),
    ...(group === undefined ? {} : { group }),
    ...(Sid === undefined ? {} : { Sid }),
    ...(Fields === undefined ? {} : { Fields }),
    ...(renamed === undefined ? {} : { renamed }),
    ...(isConditional ? { conditional: true } : {}),
  };
}

/** Whether the same call is decided otherwise where another condition holds: at another time, from another address. */
function dependsOnConditions({ decision, matched, near }: Explanation): boolean {
  const isSure = (effect: 'Allow' | 'Deny') =>
    matched.some((one) => one.Effect === effect && one.conditions === undefined && one.Fields === undefined);
  switch (decision) {
    case 'undecided':
      return true;
    case 'explicit_deny':
      return !isSure('Deny');
    case 'implicit_deny':
      return near.some((one) => one.Effect === 'Allow');
    case 'allowed':
      return near.some((one) => one.Effect === 'Deny') || (!isSure('Allow') && isOnConditions(matched, near));
  }
}

/** Of an Allow that is limited to fields, only a condition makes it depend on anything. */
function isOnConditions(matched: Explanation['matched'], near: Explanation['near']): boolean {
  return near.length > 0 || matched.every((one) => one.Effect === 'Deny' || one.conditions !== undefined);
}

/** A UUID that no record has (RFC 9562, 5.9). */
const anyRecord = '00000000-0000-0000-0000-000000000000';
