import { type AuditContext, platformAuditEntry } from '../../audit/audit-entry.ts';
import type { ConfigSet } from '../../config/port.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { emailKey } from '../../lib/formats/email-key.ts';
import { secretToken } from '../../lib/ids.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import type { Scope } from '../../store/port.ts';
import { json, table } from '../../store/table.ts';
import { transact, tryCommit } from '../../store/transact.ts';
import { eachItem } from '../../store/walk.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import type { Parts } from '../parts.ts';

/** A builder's account as the platform keeps it. */
export interface Org {
  readonly code: string;
  readonly name: string;
  readonly created_at: string;
  readonly environments: { readonly test: EnvironmentAccess; readonly prod: EnvironmentAccess | null };
  /** Whether every member needs a second factor; absent where none does. */
  readonly second_factor?: 'required' | undefined;
}

export interface EnvironmentAccess {
  readonly client_id: string;
  /** The id before it, which apps that are out may send for a while. */
  readonly previous?: { readonly client_id: string; readonly until: string };
  /** Of production since when it is there; test was made with the org. */
  readonly provisioned_at?: string;
  /** Of production, the address that becomes its first admin; absent where an earlier release provisioned it. */
  readonly founder_email?: string;
}

/** The input of every change of an org: its code, and by whom, when and in answer to which request it is changed. */
export interface OrgCommand {
  readonly orgCode: string;
  readonly auditContext: AuditContext;
}

/** The environments as builders see them, whatever their role. */
export function shownEnvironments({ environments: { test, prod } }: Org): Org['environments'] {
  return { test, prod: prod === null ? null : shownAccess(prod) };
}

function shownAccess({ founder_email: _, ...access }: EnvironmentAccess): EnvironmentAccess {
  return access;
}

/** Everything about accounts lies in one scope of the platform's own store. */
export const platformScopeName = 'platform';

/** By code. */
export const orgs = table((code: string) => ({ pk: 'org', sk: code }), json<Org>('org', { code: 'string' }));

const orgsPerRead = 500;

/** Of every org that there is. */
export async function* orgCodes(platform: Scope): AsyncGenerator<string> {
  for await (const { sk } of eachItem(platform, orgs.key('').pk, orgsPerRead)) yield sk;
}

export function newClientId(env: Environment): string {
  return `${env}_${secretToken().slice(0, 24)}`;
}

export async function findOrg(platform: Scope, code: string): Promise<Org | undefined> {
  if (!isOrgCode(code)) return undefined;
  return (await orgs.read(platform, code))?.value;
}

/** The environment that a client id says it is of, whether or not it is any app's. */
export function environmentOfClient(clientId: string | undefined): Environment | undefined {
  if (clientId?.startsWith('test_') === true) return 'test';
  return clientId?.startsWith('prod_') === true ? 'prod' : undefined;
}

/** The environment of a client id. @throws Problem `client_unknown`. */
export function requireEnvironment(org: Org, clientId: string, now: number): Environment {
  const env = environments.find((one) => isClientOf(org, one, { clientId, now }));
  if (env === undefined) throw new Problem('client_unknown', 'the client id does not belong to this app');
  return env;
}

/** Whether a client id is that of an environment, or was until a while ago. */
export function isClientOf(
  org: Org,
  env: Environment,
  { clientId, now }: { readonly clientId: string; readonly now: number },
): boolean {
  const access = org.environments[env];
  if (clientId === access?.client_id) return true;
  return clientId === access?.previous?.client_id && now < Date.parse(access.previous.until);
}

const environments = ['test', 'prod'] as const;

const orgCode = /^[a-z][a-z0-9]{1,31}$/;

/** No hyphen, so that `org#{orgCode}-{tenantCode}` names one workspace only. */
export function isOrgCode(code: string): boolean {
  return orgCode.test(code);
}

const overlapMilliseconds = 24 * 60 * 60 * 1000;

/**
 * Gives an environment a new client id; the one before it is good for another day, and the one before that no more.
 * @throws Problem `not_found` where the org has no such environment, `conflict` where others rotate it too.
 */
export async function rotateClientId(
  { platform, clock }: { readonly platform: Scope; readonly clock: Clock },
  { orgCode, auditContext }: OrgCommand,
  env: string,
): Promise<EnvironmentAccess> {
  const row = await orgs.read(platform, orgCode);
  if (row === undefined || (env !== 'test' && env !== 'prod')) throw notFound();
  const org = row.value;
  const held = org.environments[env];
  if (held === null) throw notFound();
  const until = timestamp(clock.now() + overlapMilliseconds);
  const access = { ...held, client_id: newClientId(env), previous: { client_id: held.client_id, until } };
  const isRotated = await tryCommit(platform, [
    orgs.replace(row, { ...org, environments: { ...org.environments, [env]: access } }),
    platformAuditEntry(orgCode, auditContext, { action: 'client_id.rotated', env }),
  ]);
  if (isRotated) return shownAccess(access);
  throw new Problem('conflict', 'the org was just changed: try again');
}

/** The app in one environment: for a call without a token, the environment of its client id. */
export interface AppClient {
  readonly org: Org;
  readonly env: Environment;
  readonly orgScope: Scope;
  readonly config: ConfigSet;
}

export type AppClientDeps = Pick<Parts, 'platform' | 'clock' | 'stores' | 'configs'>;

/** @throws Problem `not_found`, `client_unknown`. */
export async function openAppClient(deps: AppClientDeps, orgCode: string, clientId: string): Promise<AppClient> {
  const org = await requireOrg(deps.platform, orgCode);
  return openApp(deps, org, requireEnvironment(org, clientId, deps.clock.now()));
}

/** @throws Problem `not_found`. */
export async function appOf(
  deps: AppClientDeps,
  claims: { readonly org: string; readonly env: Environment },
): Promise<AppClient> {
  return openApp(deps, await requireOrg(deps.platform, claims.org), claims.env);
}

async function openApp({ stores, configs }: AppClientDeps, org: Org, env: Environment): Promise<AppClient> {
  return {
    org,
    env,
    orgScope: stores[env].scope(orgScopeName(org.code)),
    config: await configs[env].current(org.code),
  };
}

/** @throws Problem `not_found`. */
export async function requireOrg(platform: Scope, orgCode: string): Promise<Org> {
  const org = await findOrg(platform, orgCode);
  if (org === undefined) throw notFound();
  return org;
}

interface Provisioning extends OrgCommand {
  /** The address that becomes the first admin; left out, it stays as it is. */
  readonly founderEmail: string | undefined;
  /** Of the builder: what a new production has where none is named. */
  readonly builderEmail: string;
}

/**
 * Gives an org its production, which has a client id and the address of its first admin, and nothing else yet. If it is
 * there, the address alone is changed. @param requireAwaited throws where the first admin has come.
 */
export async function changeProd(
  { platform, clock }: { readonly platform: Scope; readonly clock: Clock },
  { orgCode, auditContext, founderEmail, builderEmail }: Provisioning,
  requireAwaited: () => Promise<void>,
): Promise<{ readonly prod: EnvironmentAccess; readonly done: 'provisioned' | 'founder_named' | undefined }> {
  const plan = async () => {
    const row = await orgs.read(platform, orgCode);
    if (row === undefined) throw notFound();
    const { environments } = row.value;
    const known = environments.prod;
    const named = known === null ? (founderEmail ?? builderEmail) : founderEmail;
    if (known !== null && (named === undefined || isSameAddress(named, known.founder_email)))
      return { prod: known, done: undefined, changes: [] };
    if (known !== null) await requireAwaited();
    const made = known ?? { client_id: newClientId('prod'), provisioned_at: timestamp(clock.now()) };
    const prod: EnvironmentAccess = { ...made, ...(named === undefined ? {} : { founder_email: named }) };
    const done = known === null ? ('provisioned' as const) : ('founder_named' as const);
    const changes = [
      orgs.replace(row, { ...row.value, environments: { ...environments, prod } }),
      platformAuditEntry(orgCode, auditContext, { action: `environment.${done}`, env: 'prod' }),
    ];
    return { prod, done, changes };
  };
  return (await transact(platform, plan, { attemptsMax: Number.POSITIVE_INFINITY })).planned;
}

function isSameAddress(one: string, other: string | undefined): boolean {
  return other !== undefined && emailKey(one) === emailKey(other);
}
