/** Jobs report removed records to the plan gate in the commit that removes them, as requests do. */
import type { Metering } from '../metering/metering.ts';
import { recordsAddedBy } from '../records/port.ts';
import { type Intercept, interceptStore } from '../store/intercepted-store.ts';
import { OutcomeUnknown, type ScopeName, type Store } from '../store/port.ts';
import { type Environment, ownerOfScope } from '../tenancy/port.ts';

/** The store of an environment as jobs use it. */
export function notingRemovals(store: Store, env: Environment, gate: Pick<Metering['gate'], 'admit'>): Store {
  const intercept: Intercept = async ({ name, scope, changes = [] }, call) => {
    const records = name === 'commit' ? recordsAddedBy(changes) : 0;
    const workspace = records < 0 ? workspaceOf(scope, env) : undefined;
    if (workspace === undefined) return call();
    const pass = await gate.admit(workspace, { records, isRemoval: true });
    try {
      const answer = await call();
      pass.written();
      return answer;
    } catch (error) {
      if (error instanceof OutcomeUnknown) pass.unknown();
      else pass.refused();
      throw error;
    }
  };
  return interceptStore(store, intercept);
}

function workspaceOf(scope: ScopeName, env: Environment) {
  const { orgCode, tenantCode } = ownerOfScope(scope) ?? {};
  return orgCode === undefined || tenantCode === undefined ? undefined : { orgCode, env, tenantCode };
}
