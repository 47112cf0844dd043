/** What the org remembers of who is where. It helps to find; whether it holds, the workspace says. */
import type { Key, Put, Remove, Scope } from '../../store/port.ts';

/** Names a workspace: a code is given to another one some time after the first is gone, an id never. */
export interface Tenant {
  readonly id: string;
  readonly code: string;
}

/** So many workspaces are looked through when a person signs in. */
export const membershipsMax = 200;

export async function tenantsOf(orgScope: Scope, userId: string): Promise<readonly Tenant[]> {
  const hints = await orgScope.range(hintPartition(userId), { limit: membershipsMax });
  return hints.map(({ sk, value }) => ({ code: sk, id: (JSON.parse(value) as Hint).tenant_id }));
}

export function hintChange(userId: string, tenant: Tenant): Put {
  const hint: Hint = { tenant_id: tenant.id };
  return { kind: 'put', ...hintKey(userId, tenant.code), value: JSON.stringify(hint), if: 'any' };
}

export function forgetChange(userId: string, tenantCode: string): Remove {
  return { kind: 'remove', ...hintKey(userId, tenantCode), if: 'any' };
}

function hintKey(userId: string, tenantCode: string): Key {
  return { pk: hintPartition(userId), sk: tenantCode };
}

/** The workspace that the person's next token is for. */
export function chooseChange(userId: string, { id, code }: Tenant): Put {
  return { kind: 'put', ...chosenKey(userId), value: JSON.stringify({ id, code }), if: 'any' };
}

export async function chosenTenant(orgScope: Scope, userId: string): Promise<Tenant | undefined> {
  const [item] = await orgScope.get([chosenKey(userId)]);
  return item === undefined ? undefined : (JSON.parse(item.value) as Tenant);
}

interface Hint {
  readonly tenant_id: string;
}

function hintPartition(userId: string): string {
  return `membership;${userId}`;
}

function chosenKey(userId: string): Key {
  return { pk: 'chosen-workspace', sk: userId };
}
