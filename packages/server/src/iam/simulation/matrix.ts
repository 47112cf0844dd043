import type { accessApi } from '@freehold/contract/management/access';
import type { ReplyOf } from '@freehold/contract/route';
import {
  type AccessContext,
  type AttachedPolicy,
  type CompiledAccess,
  compilePolicies,
  type Verb,
  verbs,
} from '../../access/port.ts';
import type { ConfigReader, ConfigSet } from '../../config/port.ts';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import type { Cursors } from '../../records/port.ts';
import { directPartition, systemData } from '../../records/port.ts';
import { systemEntity, systemEntityNames } from '../../schema/port.ts';
import type { Item, Store } from '../../store/port.ts';
import { type Environment, laneOf, type Workspace } from '../../tenancy/port.ts';
import { type ActionParts, routeOfVerb } from '../decisions/action-parts.ts';
import { decisiveStatement, describeDecision } from '../decisions/describe-decision.ts';
import { findWorkspace } from '../founding/find-workspace.ts';
import { heldPolicies, recordKey, rememberingReader } from '../policies/held-policies.ts';
import { describeExcess } from '../policies/resolve-access.ts';
import { callerOf } from './simulated-person.ts';

/** Who can do what in a workspace: each member with each verb on each entity, and the statement that it comes from. */
export interface AccessMatrix {
  /** @throws Problem `not_found` for a workspace or an entity that is not there, `invalid_cursor`. */
  read(orgCode: string, asked: AskedMatrix): Promise<MatrixPage>;
}

export interface AskedMatrix {
  readonly env: Environment;
  readonly tenantCode: string;
  /** One entity alone. */
  readonly entityName: string | undefined;
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
}

export type MatrixPage = ReplyOf<typeof accessApi.readAccessMatrix>;
type MatrixRow = MatrixPage['items'][number];
/** What holds for a record that no statement names by its id. */
type MatrixCell = MatrixRow['entities'][string][Verb];

export interface MatrixDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly cursors: Cursors;
  readonly clock: Clock;
}

/** More of them in one answer would keep everybody else waiting. */
const cellsMax = 2000;

export function createAccessMatrix(deps: MatrixDeps): AccessMatrix {
  return { read: (orgCode, asked) => readMatrix(deps, orgCode, asked) };
}

async function readMatrix(deps: MatrixDeps, orgCode: string, asked: AskedMatrix): Promise<MatrixPage> {
  const { env, tenantCode, entityName, pageSize, nexttoken } = asked;
  const workspace = await findWorkspace(deps.stores, { env, orgCode, tenantCode });
  const config = await deps.configs[env].current(orgCode);
  const names = [...new Set([...config.entityNames, ...systemEntityNames])].sort();
  if (entityName !== undefined && !names.includes(entityName))
    throw new Problem('not_found', `there is no entity \`${entityName.slice(0, 100)}\` in \`${env}\``);
  const shown = entityName === undefined ? names : [entityName];
  const binding = ['acl-matrix', env, workspace.scope.name, entityName ?? ''];
  const after = nexttoken === undefined ? undefined : deps.cursors.open(nexttoken, binding);
  const limit = Math.max(1, Math.min(pageSize, Math.floor(cellsMax / (shown.length * verbs.length))));
  const members = await membersAfter(workspace, after, limit + 1);
  const rows = rowMaker(workspace, await namingsOf(config, shown), deps.clock.now());
  const items: MatrixRow[] = [];
  // One after the other, so that what one member holds is known when the next is looked at.
  for (const member of members.slice(0, limit)) items.push(await rows(member));
  const last = items.at(-1);
  const isMore = last !== undefined && members.length > limit;
  return { items, nexttoken: isMore ? deps.cursors.seal(last.user_id, binding) : null };
}

function membersAfter(workspace: Workspace, userId: string | undefined, limit: number): Promise<readonly Item[]> {
  const after = userId === undefined ? {} : { after: recordKey(workspace, 'user', userId).sk };
  return workspace.scope.range(directPartition(systemEntity('user'), workspace), { limit, ...after });
}

/** How the fields of an entity are called, by its name. */
type Namings = ReadonlyMap<string, AccessContext['naming']>;

async function namingsOf(config: ConfigSet, entityNames: readonly string[]): Promise<Namings> {
  const namings = new Map<string, AccessContext['naming']>();
  for (const name of entityNames) namings.set(name, (await config.entity(name))?.naming);
  return namings;
}

function rowMaker(workspace: Workspace, namings: Namings, now: number) {
  const read = rememberingReader();
  const compiled = new Map<string, CompiledAccess>();
  const pause = createYielder(laneOf(workspace));
  return async (member: Item): Promise<MatrixRow> => {
    const data = systemData(member);
    const { id, email, role, status } = data;
    const access = compileOnce(compiled, await heldPolicies(workspace, id, read));
    const tenant = { id: workspace.tenantId, code: workspace.tenantCode };
    const place = { ...callerOf(workspace, data), tenant, now };
    const entities: (readonly [string, MatrixRow['entities'][string]])[] = [];
    for (const [entityName, naming] of namings)
      entities.push([entityName, await cellsOf(access, { entityName, place: { ...place, naming }, pause })]);
    return {
      user_id: id,
      email: String(email),
      role: String(role ?? ''),
      status: String(status ?? ''),
      entities: Object.fromEntries(entities),
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

type Place = Pick<AccessContext, 'user' | 'tenant' | 'jwt' | 'naming'> & { readonly now: number };

interface AskedCells {
  readonly entityName: string;
  readonly place: Place;
  /** Is asked between two cells. */
  readonly pause: () => Promise<void> | undefined;
}

async function cellsOf(
  access: CompiledAccess,
  { entityName, place, pause }: AskedCells,
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

function cellOf(access: CompiledAccess, deps: ActionParts, { now, ...caller }: Place): MatrixCell {
  const { method, resource } = routeOfVerb(deps, anyRecord);
  const context = (): AccessContext => ({
    ...caller,
    request: {
      method,
      path: resource,
      pathParameters: { entity: deps.entityName, id: anyRecord },
      queryParameters: new Map(),
      ip: '127.0.0.1',
      time: now,
    },
    pending: deps.verb === 'browse' ? [] : ['record', 'body'],
  });
  const described = describeDecision(access.explain(deps.verb + deps.entityName, resource, context));
  const { policy, policy_id, group, Sid, Fields, renamed } = decisiveStatement(described) ?? {};
  const isConditional = described.matched.some((statement) => !statement.matched);
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

/** A UUID that no record has (RFC 9562, 5.9). */
const anyRecord = '00000000-0000-0000-0000-000000000000';
