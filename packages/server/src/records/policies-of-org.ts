import type { Store } from '../store/port.ts';
import { eachWorkspace } from '../tenancy/port.ts';
import { recordCounter } from './indexes/derive.ts';

export interface WorkspacePolicies {
  readonly tenantCode: string;
  readonly policies: number;
}

/** How many policies each workspace of an org has, by the counter that every write of one moves in its own commit. */
export async function policiesOfOrg(store: Store, orgCode: string): Promise<readonly WorkspacePolicies[]> {
  const found: WorkspacePolicies[] = [];
  await eachWorkspace(store, orgCode, async (scope, tenantCode) => {
    const [counter] = await scope.get([recordCounter('aclpolicy')]);
    if (counter !== undefined) found.push({ tenantCode, policies: Number(counter.value) });
  });
  return found;
}
