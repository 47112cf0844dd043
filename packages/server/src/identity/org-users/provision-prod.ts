import { type Occasion, platformAuditEntry } from '../../audit/audit-entry.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { notFound } from '../../lib/problem.ts';
import { Conflict, type Scope } from '../../store/port.ts';
import { newClientId, type Org, orgKey } from './org-directory.ts';

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
  for (;;) {
    const [item] = await platform.get([orgKey(orgCode)]);
    if (item === undefined) throw notFound();
    const org = JSON.parse(item.value) as Org;
    const { prod } = org.environments;
    const environment = 'prod';
    if (prod !== null)
      return { environment, client_id: prod.client_id, provisioned_at: prod.provisioned_at ?? '', created: false };
    const access = { client_id: newClientId('prod'), provisioned_at: timestamp(clock.now()) };
    const value = JSON.stringify({ ...org, environments: { ...org.environments, prod: access } });
    try {
      await platform.commit([
        { kind: 'put', ...orgKey(orgCode), value, if: { version: item.version } },
        platformAuditEntry(orgCode, occasion, { action: 'environment.provisioned', env: 'prod' }),
      ]);
      return { environment, ...access, created: true };
    } catch (conflict) {
      if (!(conflict instanceof Conflict)) throw conflict;
    }
  }
}
