import { type Occasion, platformAuditEntry } from '../../audit/audit-entry.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { notFound } from '../../lib/problem.ts';
import type { Scope } from '../../store/port.ts';
import { transact } from '../../store/transact.ts';
import { type EnvironmentAccess, newClientId, orgs } from './org-directory.ts';

export interface ProvisionedProd {
  readonly environment: 'prod';
  readonly client_id: string;
  readonly provisioned_at: string;
  /** Whether it was this call that made it. */
  readonly created: boolean;
}

/** Gives an org its production, which has a client id and nothing else yet; what is there already stays as it is. */
export async function provisionProd(
  { platform, clock }: { readonly platform: Scope; readonly clock: Clock },
  { orgCode, occasion }: { readonly orgCode: string; readonly occasion: Occasion },
): Promise<ProvisionedProd> {
  const plan = async () => {
    const row = await orgs.read(platform, orgCode);
    if (row === undefined) throw notFound();
    const { environments } = row.value;
    if (environments.prod !== null) return { prod: environments.prod, changes: [] };
    const prod: EnvironmentAccess = { client_id: newClientId('prod'), provisioned_at: timestamp(clock.now()) };
    const changes = [
      orgs.replace(row, { ...row.value, environments: { ...environments, prod } }),
      platformAuditEntry(orgCode, occasion, { action: 'environment.provisioned', env: 'prod' }),
    ];
    return { prod, changes };
  };
  const { planned, committed } = await transact(platform, plan, { attemptsMax: Number.POSITIVE_INFINITY });
  const { client_id, provisioned_at = '' } = planned.prod;
  return { environment: 'prod', client_id, provisioned_at, created: committed !== undefined };
}
