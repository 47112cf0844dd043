import { Paper } from '@mantine/core';
import type { ReactNode } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { Workspaces } from '../../shell/workspace-switch.tsx';

/** Where records cannot be shown yet, since each of them lies in a workspace. */
export function ChooseWorkspace({ children }: { readonly children: ReactNode }) {
  return (
    <EmptyState
      title="Choose a workspace"
      action={
        <Paper withBorder p={4} w={320} maw="100%" mt="sm">
          <Workspaces isOneNeeded />
        </Paper>
      }
    >
      {children}
    </EmptyState>
  );
}
