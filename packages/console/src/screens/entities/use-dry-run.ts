import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Definition } from './definition.ts';

const typingMilliseconds = 400;

/** The plans of all drafts begin with it. */
export const planKey = 'entity-plan';

interface DryRun<Reply> {
  /** Tells the questions of one draft from those of another. */
  readonly key: readonly (string | number)[];
  readonly definition: Definition;
  readonly isWanted: boolean;
  readonly ask: (definition: Definition, signal: AbortSignal) => Promise<Reply>;
}

/** The verdict of the platform on a draft, asked a moment after the last key. */
export function useDryRun<Reply>({ key, definition, isWanted, ask }: DryRun<Reply>) {
  const [settled] = useDebouncedValue(definition, typingMilliseconds);
  const isCurrent = settled === definition;
  const query = useQuery({
    // Not among what is read again after a write: a draft that was saved is no question any more.
    queryKey: [planKey, ...key, JSON.stringify(settled)],
    queryFn: ({ signal }) => ask(settled, signal),
    enabled: isWanted,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return { data: query.data, error: query.error, isPlanning: !isCurrent || query.isFetching };
}
