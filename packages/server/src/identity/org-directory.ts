import type { Environment } from '../entities/workspace.ts';
import { secretToken } from '../lib/ids.ts';
import type { Key, Scope } from '../store/port.ts';

/** A builder's account as the platform keeps it. */
export interface Org {
  readonly code: string;
  readonly name: string;
  readonly created_at: string;
  readonly environments: { readonly test: EnvironmentAccess; readonly prod: EnvironmentAccess | null };
}

export interface EnvironmentAccess {
  readonly client_id: string;
}

/** Everything about accounts lies in one scope of the platform's own store. */
export const platformScopeName = 'platform';

export function orgKey(code: string): Key {
  return { pk: 'org', sk: code };
}

export function newClientId(env: Environment): string {
  return `${env}_${secretToken().slice(0, 24)}`;
}

export async function findOrg(platform: Scope, code: string): Promise<Org | undefined> {
  if (!isOrgCode(code)) return undefined;
  const [item] = await platform.get([orgKey(code)]);
  return item === undefined ? undefined : (JSON.parse(item.value) as Org);
}

/** The environment that a client id says it is of, whether or not it is any app's. */
export function environmentOfClient(clientId: string | undefined): Environment | undefined {
  if (clientId?.startsWith('test_') === true) return 'test';
  return clientId?.startsWith('prod_') === true ? 'prod' : undefined;
}

/** The environment that a client id stands for. */
export function environmentOf(org: Org, clientId: string): Environment | undefined {
  if (clientId === org.environments.test.client_id) return 'test';
  return org.environments.prod?.client_id === clientId ? 'prod' : undefined;
}

const orgCode = /^[a-z][a-z0-9]{1,31}$/;

/** No hyphen, so that `org#{orgCode}-{tenantCode}` names one workspace only. */
export function isOrgCode(code: string): boolean {
  return orgCode.test(code);
}

/** A code from a name: its letters and digits, made long enough. */
export function orgCodeFrom(name: string): string {
  const letters = name
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/^[0-9]+/, '')
    .slice(0, 24);
  return letters.length >= 2 ? letters : `org${letters}`;
}
