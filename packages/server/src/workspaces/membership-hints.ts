/** The org's hints of memberships. They help to find a workspace; whether a membership holds, the workspace decides. */
import type { Put, Remove, Scope } from '../store/port.ts';
import { json, table } from '../store/table.ts';

/** Names a workspace: a code is given to another one some time after the first is gone, an id never. */
export interface Tenant {
  readonly id: string;
  readonly code: string;
}

/** So many workspaces are looked through when a person signs in. */
export const membershipsMax = 200;

export async function tenantsOf(orgScope: Scope, userId: string): Promise<readonly Tenant[]> {
  const rows = await hints.range(orgScope, hintPartition(userId), { limit: membershipsMax });
  return rows.map(({ sk, value }) => ({ code: sk, id: value.tenant_id }));
}

export function hintChange(userId: string, { id, code }: Tenant): Put {
  return hints.put([userId, code], { tenant_id: id }, { if: 'any' });
}

export function forgetChange(userId: string, tenantCode: string): Remove {
  return hints.remove([userId, tenantCode], 'any');
}

/** The workspace that the person's next token is for. */
export function chooseChange(userId: string, { id, code }: Tenant): Put {
  return chosen.put(userId, { id, code }, { if: 'any' });
}

export async function chosenTenant(orgScope: Scope, userId: string): Promise<Tenant | undefined> {
  return (await chosen.read(orgScope, userId))?.value;
}

export function forgetChosen(userId: string): Remove {
  return chosen.remove(userId, 'any');
}

const hintPartition = (userId: string): string => `membership;${userId}`;

const hints = table(
  ([userId, tenantCode]: readonly [userId: string, tenantCode: string]) => ({
    pk: hintPartition(userId),
    sk: tenantCode,
  }),
  json<{ readonly tenant_id: string }>('membership hint', { tenant_id: 'string' }),
);

const chosen = table(
  (userId: string) => ({ pk: 'chosen-workspace', sk: userId }),
  json<Tenant>('chosen workspace', { id: 'string', code: 'string' }),
);
