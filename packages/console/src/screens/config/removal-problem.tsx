import { Alert } from '@mantine/core';
import { ApiProblem } from '../../api/problem.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';

/** Why nothing was removed or reset. A removal is held to the version that its builder saw. */
export function RemovalProblem({ error }: { readonly error: unknown }) {
  if (!isOvertaken(error)) return <ProblemAlert error={error} />;
  return (
    <Alert color="yellow" role="alert" title="It was changed since you opened it. Nothing is taken away.">
      Cancel, look at what is stored now, and ask again.
    </Alert>
  );
}

function isOvertaken(error: unknown): boolean {
  return error instanceof ApiProblem && error.code === 'version_mismatch';
}
