import { Paper } from '@mantine/core';
import type { ReactNode } from 'react';
import { Workspaces } from '../shell/workspace-switch.tsx';
import { EmptyState } from './empty-state.tsx';

/** Where nothing can be shown yet, since what the screen is about lies in a workspace. */
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
