import { Badge } from '@mantine/core';
import type { RunState } from './run-filters.ts';
import { stateColors, stateWords } from './run-words.ts';

export function StateBadge({ state }: { readonly state: RunState }) {
  return (
    <Badge variant="dot" color={stateColors[state]}>
      {stateWords[state]}
    </Badge>
  );
}
