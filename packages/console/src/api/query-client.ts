import { QueryClient } from '@tanstack/react-query';
import { ApiProblem } from './problem.ts';

/** What was read is shown at once and read again beside it. Only calls without an answer, or refused for now, are repeated. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // A call without a network fails, in place of waiting unseen until there is one.
      networkMode: 'always',
      staleTime: 5_000,
      retry: (failures, error) =>
        failures < 2 && error instanceof ApiProblem && (error.status === 0 || error.status === 503),
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
