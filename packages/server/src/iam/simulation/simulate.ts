import type { accessApi } from '@freehold/contract/management/access';
import type { ReplyOf } from '@freehold/contract/route';
import {
  type AccessContext,
  actionParts,
  type CompiledAccess,
  compilePolicies,
  type Statement,
} from '../../access/port.ts';
import type { ConfigReader } from '../../config/port.ts';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import {
  asDefined,
  bodyAsRead,
  type Cursors,
  fieldsBeyond,
  findRecord,
  namedBody,
  type RecordData,
  readableUnchangedFields,
  readUpdate,
  recordOfCreate,
  recordOfUpdate,
  statesBesideFields,
} from '../../records/port.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import { type Environment, findWorkspace, type Workspace } from '../../tenancy/port.ts';
import { describeDecision, draftPolicy } from '../decisions/describe-decision.ts';
import { type RequestSubject, type SentRequest, valuesAsRead, withSecrets } from '../decisions/request-values.ts';
import { memberOf } from '../members/member.ts';
import { heldPolicies } from '../policies/held-policies.ts';
import { describeExcess } from '../policies/resolve-access.ts';
import { type EvaluatedRequest, evaluateRequest, grantToGet } from './evaluate-request.ts';

export interface Simulation {
  readonly env: Environment;
  /** Left out of drafts that need no workspace. */
  readonly tenantCode: string | undefined;
  readonly who: { readonly userId: string } | { readonly statements: readonly Statement[] };
  readonly action: string;
  readonly request: SentRequest;
  /** The record as it is given, or the id of a stored record of the workspace. */
  readonly record: { readonly id: string } | { readonly fields: Fields } | undefined;
  readonly context: SimulatedContext;
}

type Fields = Readonly<Record<string, unknown>>;

/** The values given beside the request; the platform fills in those left out. */
export interface SimulatedContext extends Partial<Pick<AccessContext['request'], 'ip' | 'time' | 'origin' | 'body'>> {
  readonly jwt?: Fields;
  readonly user?: Partial<AccessContext['user']>;
  readonly tenant?: Partial<AccessContext['tenant']>;
}

type Simulated = ReplyOf<typeof accessApi.simulateAccess>;

/** The stores read to find people's rights. */
export interface AccessReadDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly cursors: Cursors;
  readonly clock: Clock;
}

/** Decides a hypothetical request. @throws Problem `not_found` for a workspace, a member or a record that is not there. */
export async function simulate(deps: AccessReadDeps, orgCode: string, simulation: Simulation): Promise<Simulated> {
  const { env, tenantCode, who, action, request } = simulation;
  const isNamed = tenantCode !== undefined;
  const workspace = isNamed ? await findWorkspace(deps.stores, { env, orgCode, tenantCode }) : undefined;
  const person =
    'statements' in who
      ? draftAsPerson(who.statements, simulation.context.user ?? {})
      : await memberAsPerson(needed(workspace), who.userId);
  const config = await deps.configs[env].current(orgCode);
  const entity = await config.entity(actionParts(action)?.entityName ?? '');
  const record = await recordOf(simulation, workspace, entity);
  const verb = actionParts(action)?.verb;
  const about = entity === undefined || verb === undefined ? undefined : { entity, verb };
  const now = deps.clock.now();
  const context = withSecrets(contextOf(simulation, { workspace, person, record, about, now }), entity);
  const toBe = { entity, userId: person.user.id, record, now: context.request.time };
  const evaluated = evaluateRequest(person.access, {
    action,
    context,
    recordToBe: (body) => recordToBe(toBe, body),
    statesOf: (states) => (entity === undefined ? states : statesBesideFields(entity, states)),
  });
  const excess = describeExcess(person.access);
  return {
    action,
    resource: request.path,
    ...(person.member === undefined ? {} : { user: person.member }),
    ...describeDecision(evaluated.explanation, { withConditions: true }),
    ...(excess === undefined ? {} : { decision: 'implicit_deny', reason: excess }),
    ...(evaluated.ruling.outcome === 'undecided' ? { needs: evaluated.ruling.needs } : {}),
    ...fieldsOf(evaluated, entity, unchangedIn(context, about, person.access)),
  };
}

interface RecordToBe {
  readonly entity: CompiledEntity | undefined;
  readonly userId: string;
  /** The stored record. */
  readonly record: Fields | undefined;
  readonly now: number;
}

function recordToBe({ entity, userId, record, now }: RecordToBe, body: Fields): Fields {
  if (entity === undefined) return { ...record, ...body };
  if (record === undefined) return recordOfCreate({ entity, userId, body, now });
  const before = { key: { pk: '', sk: '' }, version: 0, data: record as RecordData };
  return recordOfUpdate({ entity, userId, body, now }, before);
}

function needed(workspace: Workspace | undefined): Workspace {
  if (workspace === undefined) throw new Problem('invalid_request', '`tenant_code` is required');
  return workspace;
}

/** @throws Problem `not_found`. */
async function recordOf(
  { record, action, env }: Simulation,
  workspace: Workspace | undefined,
  entity: CompiledEntity | undefined,
): Promise<Fields | undefined> {
  if (record === undefined) return undefined;
  if ('fields' in record)
    return entity === undefined ? record.fields : (namedBody(entity, bodyAsRead(entity, record.fields)).body as Fields);
  if (entity === undefined) throw new Problem('not_found', `\`${action}\` names no entity of \`${env}\``);
  const found = await findRecord({ workspace: needed(workspace), entity }, record.id);
  if (found === undefined)
    throw new Problem('not_found', `there is no record \`${record.id.slice(0, 100)}\` of \`${entity.name}\``);
  return asDefined(entity, found.data);
}

interface SimulationInput {
  readonly workspace: Workspace | undefined;
  readonly person: SimulatedPerson;
  readonly record: Fields | undefined;
  readonly about: RequestSubject | undefined;
  readonly now: number;
}

function contextOf(
  { context, request }: Simulation,
  { workspace, person, record, about, now }: SimulationInput,
): AccessContext {
  const { ip = '127.0.0.1', time = now, origin, body } = context;
  const takesBody = request.method === 'POST' || request.method === 'PUT';
  // Nothing else waits for a record: there one has no value.
  const isAboutRecord = about !== undefined && about.verb !== 'browse';
  const pending: AccessContext['pending'] = [
    ...(takesBody && body === undefined ? ['body' as const] : []),
    ...(isAboutRecord && record === undefined ? ['record' as const] : []),
  ];
  const tenant = { id: workspace?.tenantId ?? '', code: workspace?.tenantCode ?? '', ...context.tenant };
  return {
    request: {
      ...request,
      ip,
      time,
      ...(origin === undefined ? {} : { origin }),
      ...valuesAsRead(about, { queryParameters: request.queryParameters, body }),
    },
    user: person.user,
    tenant,
    jwt: { ...person.jwt, ...context.jwt },
    ...(about?.entity.naming === undefined ? {} : { naming: about.entity.naming }),
    ...(record === undefined ? {} : { record }),
    pending,
  };
}

interface SimulatedBody {
  readonly body: unknown;
  /** Whether its value of a field is the stored one. */
  readonly isUnchanged: (name: string) => boolean;
}

function unchangedIn(context: AccessContext, about: RequestSubject | undefined, access: CompiledAccess): SimulatedBody {
  const { body } = context.request;
  if (context.record === undefined || about?.verb !== 'update') return { body, isUnchanged: () => false };
  const { entity } = about;
  const before = { key: { pk: '', sk: '' }, version: 0, data: context.record as RecordData };
  const rows = { readable: () => grantToGet(access, context, entity.name) };
  const read = readUpdate(entity, body, before);
  return { body: read.body, isUnchanged: readableUnchangedFields({ rows, entity }, before, read) };
}

/** The fields that are left, and that a body does not keep to them. */
function fieldsOf(
  { ruling: { outcome, fields } }: EvaluatedRequest,
  entity: CompiledEntity | undefined,
  { body, isUnchanged }: SimulatedBody,
): Partial<Pick<Simulated, 'fields' | 'decision' | 'reason'>> {
  if (outcome !== 'allowed' || fields === undefined || entity === undefined) return {};
  const left = { fields: [...entity.fields.keys()].filter((name) => fields.has(name)) };
  const [beyond] = fieldsBeyond(fields, body, isUnchanged);
  if (beyond === undefined) return left;
  const reason = `no statement allows it for the field \`${beyond.slice(0, 100)}\``;
  return { ...left, decision: 'implicit_deny', reason };
}

/** In whose name a request is simulated. */
interface SimulatedPerson {
  readonly access: CompiledAccess;
  readonly user: AccessContext['user'];
  /** The claims that a token of the person would have. */
  readonly jwt: AccessContext['jwt'];
  /** Left out of a draft, which no person holds. */
  readonly member?: { readonly id: string; readonly email: string; readonly status: string };
}

/** A member with all that he holds now. @throws Problem `not_found`. */
async function memberAsPerson(workspace: Workspace, userId: string): Promise<SimulatedPerson> {
  const data = await memberOf(workspace, userId);
  const access = compilePolicies(await heldPolicies(workspace, data.id));
  const member = { id: data.id, email: String(data.email), status: String(data.status ?? '') };
  return { access, ...callerOf(workspace, data), member };
}

/** The part of the context of a member's call that is about the member. */
export function callerOf(
  { orgCode, tenantId, tenantCode, env }: Workspace,
  member: RecordData,
): Pick<AccessContext, 'user' | 'jwt'> {
  const user = { id: member.id, email: String(member.email) };
  const names = { fn: String(member.fn ?? ''), ln: String(member.ln ?? '') };
  const place = { org: orgCode, tenant_id: tenantId, tenant_code: tenantCode, env };
  return { user, jwt: { ...place, sub: user.id, email: user.email, ...names } };
}

/** A person who holds these statements and nothing else. */
function draftAsPerson(statements: readonly Statement[], user: Partial<AccessContext['user']>): SimulatedPerson {
  return {
    access: compilePolicies([{ ...draftPolicy, statements }]),
    user: { id: '', email: '', ...user },
    jwt: {},
  };
}
