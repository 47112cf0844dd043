import type { accessApi } from '@freehold/contract/management/access';
import type { ReplyOf } from '@freehold/contract/route';
import type { AccessContext, CompiledAccess, Pending, RequestContext, Statement } from '../../access/port.ts';
import type { ConfigReader } from '../../config/port.ts';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import type { RecordData } from '../../records/port.ts';
import {
  asDefined,
  bodyAsRead,
  fieldsBeyond,
  findRecord,
  namedBody,
  readableUnchangedFields,
  readUpdate,
  recordOfCreate,
  recordOfUpdate,
  statesBesideFields,
} from '../../records/port.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { Store } from '../../store/port.ts';
import type { Environment, Workspace } from '../../tenancy/port.ts';
import { actionParts } from '../decisions/action-parts.ts';
import { describeDecision } from '../decisions/describe-decision.ts';
import { type RequestSubject, type SentRequest, valuesAsRead } from '../decisions/request-values.ts';
import { withSecrets } from '../decisions/secret-fields.ts';
import { findWorkspace } from '../founding/find-workspace.ts';
import { describeExcess } from '../policies/resolve-access.ts';
import { grantToGet, type Judged, judgeRequest } from './judge-request.ts';
import { draftAsPerson, memberAsPerson, type SimulatedPerson } from './simulated-person.ts';

/** Decides hypothetical requests. */
export interface AccessSimulator {
  /** @throws Problem `not_found` for a workspace, a member or a record that is not there. */
  simulate(orgCode: string, simulation: Simulation): Promise<Simulated>;
}

export interface Simulation {
  readonly env: Environment;
  /** Left out of drafts that need no workspace. */
  readonly tenantCode: string | undefined;
  readonly who: { readonly userId: string } | { readonly statements: readonly Statement[] };
  readonly action: string;
  readonly request: SentRequest;
  /** As it is given, or the id of one that lies in the workspace. */
  readonly record: { readonly id: string } | { readonly fields: Fields } | undefined;
  readonly context: SimulatedContext;
}

type Fields = Readonly<Record<string, unknown>>;

/** What is given beside the request; where it is left out the platform puts what it knows. */
export interface SimulatedContext extends Partial<Pick<RequestContext, 'ip' | 'time' | 'origin' | 'body'>> {
  readonly jwt?: Fields;
  readonly user?: Partial<AccessContext['user']>;
  readonly tenant?: Partial<AccessContext['tenant']>;
}

export type Simulated = ReplyOf<typeof accessApi.simulateAccess>;

export interface SimulatorDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly clock: Clock;
}

export function createAccessSimulator(deps: SimulatorDeps): AccessSimulator {
  return { simulate: (orgCode, simulation) => simulate(deps, orgCode, simulation) };
}

async function simulate(deps: SimulatorDeps, orgCode: string, simulation: Simulation): Promise<Simulated> {
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
  const judged = judgeRequest(person.access, {
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
    ...describeDecision(judged.explanation, { withConditions: true }),
    ...(excess === undefined ? {} : { decision: 'implicit_deny', reason: excess }),
    ...(judged.ruling.outcome === 'undecided' ? { needs: judged.ruling.needs } : {}),
    ...fieldsOf(judged, entity, unchangedIn(context, about, person.access)),
  };
}

interface RecordToBe {
  readonly entity: CompiledEntity | undefined;
  readonly userId: string;
  /** What stands. */
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

interface Known {
  readonly workspace: Workspace | undefined;
  readonly person: SimulatedPerson;
  readonly record: Fields | undefined;
  readonly about: RequestSubject | undefined;
  readonly now: number;
}

function contextOf({ context, request }: Simulation, { workspace, person, record, about, now }: Known): AccessContext {
  const { ip = '127.0.0.1', time = now, origin, body } = context;
  const takesBody = request.method === 'POST' || request.method === 'PUT';
  // Nothing else waits for a record: there one has no value.
  const isAboutRecord = about !== undefined && about.verb !== 'browse';
  const pending: readonly Pending[] = [
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
  { ruling: { outcome, fields } }: Judged,
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
