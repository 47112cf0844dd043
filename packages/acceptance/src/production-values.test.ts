/** No route of the management gateway shows a developer a value of a production record. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { managementApi } from '@freehold/contract/management';
import type { Route } from '@freehold/contract/route';
import { type CallOptions, call, type Reply } from './call.ts';
import { manage } from './org.ts';
import { platformForTests } from './platform-for-tests.ts';
import { type Canaries, orgWithCanaries } from './production-canaries.ts';

const gateways = await platformForTests();

type Api = typeof managementApi;
/** The routes that a builder of any role may call. Those for admins, the operator and everyone have no developer. */
type ForBuilders = {
  [Name in keyof Api]: Api[Name]['access'] extends 'developer' | 'watch' | 'publish' ? Name : never;
}[keyof Api];

interface Ask {
  readonly params?: Readonly<Record<string, string>>;
  /** Without the environment, which is production wherever a route takes one. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The request names no environment: what it asks for is production's. */
  readonly isPlain?: true;
  /** Of the reply to the developer; left out, 200. */
  readonly status?: number;
  /** The same call shows an admin a value, so that a reply without it is one that has lost it. */
  readonly showsAdmin?: true;
  /** The same call with this beside it is refused to a developer. */
  readonly refusedWith?: Pick<Ask, 'query' | 'body'>;
}

function asksOf(of: Canaries): Readonly<Record<ForBuilders, Ask | readonly Ask[]>> {
  const { tenantCode: tenant_code, memberId, policyId, groupId, delivery } = of;
  const workspace = { query: { tenant_code } };
  const event = { params: { name: 'tell' } };
  const run = { params: { id: of.runId } };
  const appointment = { kind: 'entity', name: 'visit' };
  const proof = { password: 'wrong password' };
  const mail = { subject: 'a', text: '{{ link }}' };
  const draft = { name: 'guess', statements: [{ Effect: 'Deny', Action: ['*visit'], Resource: ['*'] }] };
  const request = { tenant_code, action: 'getvisit', resource: `/item/visit/${of.recordId}` };
  const statements = [{ Effect: 'Allow', Action: ['*'], Resource: ['*'] }];
  return {
    findDecision: [{ query: { request_id: of.requestId }, isPlain: true, showsAdmin: true }, { showsAdmin: true }],
    readDecision: { params: { decision_id: of.decisionId }, showsAdmin: true },
    simulateAccess: {
      body: { ...request, statements },
      refusedWith: { body: { ...request, statements, record: { id: of.recordId } } },
    },
    lintStatements: { body: { statements } },
    readAccessMatrix: { ...workspace, showsAdmin: true },
    listWorkspacePolicies: workspace,
    listWorkspaceGroups: workspace,
    readWorkspacePolicy: { ...workspace, params: { id: policyId }, showsAdmin: true },
    readWorkspaceGroup: { ...workspace, params: { id: groupId } },
    listMembers: { ...workspace, showsAdmin: true },
    readMember: { ...workspace, params: { id: memberId }, showsAdmin: true },
    listHolders: { query: { tenant_code, policy_id: policyId }, showsAdmin: true },
    logOut: { body: {}, status: 204 },
    readMe: {},
    readOrg: {},
    listAppUsers: { showsAdmin: true, refusedWith: { query: { q: 'canary' } } },
    readAppUser: { params: { id: memberId }, showsAdmin: true },
    listConfigKinds: {},
    listConfigItems: { params: { kind: 'entity' } },
    readConfigItem: { params: appointment },
    listItemVersions: { params: appointment, status: 400 },
    readItemVersion: { params: { ...appointment, version: '1' }, status: 400 },
    makeConfigItem: { params: { kind: 'event' }, body: { name: 'tell', content: {} }, status: 403 },
    replaceConfigItem: { params: { kind: 'event', name: 'tell' }, body: {}, status: 403 },
    removeConfigItem: { params: { kind: 'event', name: 'tell' }, status: 403 },
    restoreConfigItem: { params: { kind: 'event', name: 'tell' }, body: { version: 1 }, status: 403 },
    listEvents: { showsAdmin: true },
    listDeliveries: { showsAdmin: true },
    readDelivery: { params: { id: delivery.id }, showsAdmin: true },
    redeliver: { params: { id: delivery.id } },
    redeliverMany: { body: { event: 'tell', state: 'dead' } },
    testEvent: { ...event, body: { record: { title: 'a' } } },
    pauseEvent: event,
    resumeEvent: event,
    listEventStates: {},
    readDiff: {},
    publish: { body: { items: [appointment] }, status: 201, showsAdmin: true },
    readStaged: { showsAdmin: true },
    withdrawAll: { status: 204 },
    withdraw: { params: appointment, status: 404 },
    listReleases: {},
    readRelease: { params: { version: '1' }, query: { compare: 'live' } },
    listRetired: {},
    exportConfig: {},
    importConfig: { body: 'no archive', status: 415 },
    defineEntity: { params: { apiname: 'create-visit' }, body: { entityName: 'visit', UpdateParams: [] }, status: 403 },
    changeApi: { params: { apiname: 'create-visit' }, body: { UpdateParams: [] }, status: 403 },
    listEntities: {},
    readEntity: { query: { entityName: 'visit' }, showsAdmin: true },
    readEntityEndpoints: { query: { entity: 'visit' } },
    readAppOpenapi: { query: { entity: 'visit' } },
    removeEntity: { query: { entityname: 'visit' }, status: 403 },
    listAppMails: {},
    previewAppMail: { params: { mail: 'verify_email' }, body: mail },
    sendTestMail: { params: { mail: 'verify_email' }, body: mail },
    listEntityJobs: { showsAdmin: true },
    readEntityJob: { params: { id: of.jobId }, showsAdmin: true },
    cancelEntityJob: { params: { id: of.jobId }, status: 409 },
    listOwnOrgs: {},
    switchOrg: { body: { org: of.org.code } },
    listSessions: {},
    endOtherSessions: {},
    endSession: { params: { id: of.recordId }, status: 404 },
    showOverview: { query: { workspaces: '20', first_steps: 'true' }, showsAdmin: true },
    changePassword: { body: { current_password: 'wrong password', new_password: 'another password' }, status: 401 },
    replayAccess: { body: { tenant_code, draft, principals: [memberId] }, showsAdmin: true },
    suggestPolicy: { query: { tenant_code, user_id: memberId } },
    listReported: { ...workspace, showsAdmin: true },
    listRuns: {},
    readRun: run,
    cancelRun: run,
    retryRun: run,
    listLogicBlocks: {},
    testLogicBlock: {
      body: { content: { name: 'x', steps: [] }, tenant_code },
      status: 400,
    },
    beginRun: { params: { name: 'keep' }, body: { tenant_code } },
    listHooks: {},
    readHook: { params: { name: 'paid' } },
    listSchedules: {},
    pauseSchedule: { params: { name: 'yearly' } },
    resumeSchedule: { params: { name: 'yearly' } },
    listSecondFactors: {},
    readFactorChallenge: { status: 404 },
    beginTotp: { body: proof, status: 401 },
    confirmTotp: { body: { code: '123456' }, status: 404 },
    beginPasskey: { body: proof, status: 404 },
    addPasskey: { body: { name: 'key', passkey: {} }, status: 400 },
    renamePasskey: { params: { id: of.recordId }, body: { name: 'key' }, status: 404 },
    removeSecondFactor: { params: { id: 'totp' }, body: proof, status: 401 },
    renewRecoveryCodes: { body: proof, status: 401 },
    impersonate: { body: { tenant_code, user_id: memberId } },
    listSettings: {},
    listRefusedOrigins: {},
    createSignInLink: { body: {}, status: 201 },
    decideCommandSignIn: { body: { challenge: 'a'.repeat(43), allow: false }, status: 201 },
    showUsage: { query: { explain: 'records.total' } },
    exportUsage: {},
    listOrgWorkspaces: {},
    readOrgWorkspace: { params: { tenant_code } },
    listWorkspaceInvitations: { params: { tenant_code }, showsAdmin: true },
    listWorkspaceDrift: {},
    readWorkspaceDrift: { params: { tenant_code } },
    listTemplateApplications: {},
    readTemplateApplication: { params: { id: of.recordId }, status: 404 },
    listAppliedWorkspaces: { params: { id: of.recordId }, status: 404 },
  };
}

/** Ends the session of the developer, so they come last. */
const last: readonly ForBuilders[] = ['publish', 'withdrawAll', 'withdraw', 'switchOrg', 'endOtherSessions', 'logOut'];

function send(of: Canaries, route: Route, ask: Ask, token: string): Promise<Reply> {
  const { params = {}, query = {}, body, isPlain } = ask;
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? assert.fail(`no ${name}`));
  const inQuery = route.query?.properties.env === undefined || isPlain === true ? query : { env: 'prod', ...query };
  const hasEnv = route.body?.properties?.env !== undefined && typeof body === 'object';
  const sent = hasEnv ? { env: 'prod', ...body } : body;
  const options: CallOptions = { token, ...(sent === undefined ? {} : { body: sent }) };
  const search = new URLSearchParams(inQuery).toString();
  return call(route.method, `${of.org.management}${path}${search === '' ? '' : `?${search}`}`, options);
}

/** What tells of a value without being one: which records are alike or would fail, and what a condition decides. */
const revealingMembers =
  /"(?:duplicates|would_fail|failed_condition|actual|answer|statement|would_deny)":|"failed":\[{/;

function shown(of: Canaries, { text }: Reply): readonly string[] {
  const revealing = revealingMembers.exec(text)?.[0];
  return [...of.values.filter((value) => text.includes(value)), ...(revealing === undefined ? [] : [revealing])];
}

test('no route shows a developer a value of a production record, and what is left out is there for an admin', async (t) => {
  const of = await orgWithCanaries(gateways, t);
  const asks = asksOf(of);
  const names = Object.keys(asks) as ForBuilders[];
  const ordered = [...names.filter((name) => !last.includes(name)), ...last];
  const faults: string[] = [];
  for (const name of ordered) for (const ask of [asks[name]].flat()) faults.push(...(await walk(of, name, ask)));
  assert.deepEqual(faults, []);
});

/** The faults of the replies of a route. */
async function walk(of: Canaries, name: ForBuilders, ask: Ask): Promise<readonly string[]> {
  const route: Route = managementApi[name];
  const { refused, leftOut } = route.production ?? {};
  const faults: string[] = [];
  if (ask.showsAdmin === true) {
    if (refused !== 'always' && leftOut === undefined) faults.push(`${name} shows values and does not say so`);
    const reply = await send(of, route, ask, of.org.builder.token);
    if (shown(of, reply).length === 0) faults.push(`${name} shows an admin nothing: ${reply.text}`);
  }
  const reply = await send(of, route, ask, of.developer);
  const status = refused === 'always' ? 403 : (ask.status ?? 200);
  if (reply.status !== status) faults.push(`${name} answers ${reply.text}`);
  for (const value of shown(of, reply)) faults.push(`${name} shows ${value}: ${reply.text}`);
  if (Array.isArray(refused) !== (ask.refusedWith !== undefined))
    faults.push(`${name} is not asked for what it refuses`);
  if (ask.refusedWith === undefined) return faults;
  const withMore = await send(of, route, { ...ask, ...ask.refusedWith }, of.developer);
  return withMore.status === 403 ? faults : [...faults, `${name} answers ${withMore.text}`];
}

test('a route that leaves something out is one that is called above, and no other route says that it does', async () => {
  for (const [name, route] of Object.entries(managementApi) as [string, Route][])
    if (!['developer', 'watch', 'publish'].includes(route.access))
      assert.equal(route.production, undefined, `${name} is not for developers`);
});

test('what a developer is not shown of production is shown of test', async (t) => {
  const of = await orgWithCanaries(gateways, t);
  const users = await manage<{ items: readonly { email?: string }[] }>(of.org, 'GET', '/org/app-users?env=test', {
    token: of.developer,
  });
  assert.ok(users.body.items.every(({ email }) => email !== undefined && email !== ''));
  const members = await manage(of.org, 'GET', `/acl/members?env=test&tenant_code=${of.tenantCode}`, {
    token: of.developer,
  });
  assert.equal(members.status, 200, members.text);
});
