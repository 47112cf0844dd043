import { secretToken } from '../../lib/ids.ts';
import { Problem } from '../../lib/problem.ts';
import type { Scope } from '../../store/port.ts';
import { json, table } from '../../store/table.ts';
import { eachItem } from '../../store/walk.ts';
import type { Environment } from '../../tenancy/port.ts';

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

/** What builders see of the environments, whatever their role. */
export function shownEnvironments({ environments: { test, prod } }: Org): Org['environments'] {
  return { test, prod: prod === null ? null : shownAccess(prod) };
}

export function shownAccess({ founder_email: _, ...access }: EnvironmentAccess): EnvironmentAccess {
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

/** The environment that a client id stands for. @throws Problem `client_unknown`. */
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
