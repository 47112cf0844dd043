import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Ready, Unready } from './simulation.ts';

const typingMilliseconds = 400;

/** What the platform decides, asked a moment after the last key. */
export function useSimulation(simulated: Ready | Unready) {
  const text = 'body' in simulated ? JSON.stringify(simulated.body) : undefined;
  const [settled] = useDebouncedValue(text, typingMilliseconds);
  const query = useQuery({
    queryKey: ['simulate', settled ?? ''],
    queryFn: ({ signal }) => call('simulateAccess', { body: JSON.parse(settled ?? '{}'), signal }),
    enabled: settled !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const isComplete = text !== undefined;
  return {
    data: isComplete ? query.data : undefined,
    error: isComplete && settled === text ? query.error : null,
    isDeciding: isComplete && (settled !== text || query.isFetching),
  };
}
