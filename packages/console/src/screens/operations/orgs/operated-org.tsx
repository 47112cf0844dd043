import { useQuery } from '@tanstack/react-query';
import { ApiProblem } from '../../../api/problem.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { Screen } from '../../../components/screen.tsx';
import { OperationsLink } from '../operations-link.tsx';
import { PlanPanel } from './plan-panel.tsx';
import { planQuery } from './queries.ts';

/** What the operator sees and sets of one org. */
export function OperatedOrg({ org }: { readonly org: string }) {
  const plan = useQuery(planQuery(org));
  const isMissing = plan.error instanceof ApiProblem && plan.error.code === 'not_found';
  return (
    <Screen title={org} intro={<OperationsLink screen="orgs">All orgs</OperationsLink>}>
      {isMissing ? (
        <EmptyState title="No org has this code">Codes are lower-case letters and digits.</EmptyState>
      ) : (
        <Loaded query={plan}>{(data) => <PlanPanel org={org} plan={data} used={{}} />}</Loaded>
      )}
    </Screen>
  );
}
