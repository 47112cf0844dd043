import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Ready, Unready } from './simulation.ts';

const typingMilliseconds = 400;

/** What the platform decides, asked a moment after the last key. */
export function useSimulation(asked: Ready | Unready) {
  const text = 'body' in asked ? JSON.stringify(asked.body) : undefined;
  const [settled] = useDebouncedValue(text, typingMilliseconds);
  const query = useQuery({
    queryKey: ['simulate', settled ?? ''],
    queryFn: ({ signal }) => call('simulateAccess', { body: JSON.parse(settled ?? '{}'), signal }),
    enabled: settled !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const isAsked = text !== undefined;
  return {
    data: isAsked ? query.data : undefined,
    error: isAsked && settled === text ? query.error : null,
    isDeciding: isAsked && (settled !== text || query.isFetching),
  };
}
