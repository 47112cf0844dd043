import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePlace } from '../../api/session.ts';
import { AdminsOnly } from './admins-only.tsx';

/** Whether values of records are left out of what the user is answered: production's are for org admins. */
export function useHidesValues(): boolean {
  const { env, adminReason } = usePlace();
  return env === 'prod' && adminReason !== undefined;
}

/** Why some values are not shown, where they are not. */
export function HiddenValues({ what }: { readonly what: string }) {
  if (!useHidesValues()) return null;
  return (
    <Text size="sm" c="dimmed">
      You are a developer of this org. Of production, only org admins see {what}.
    </Text>
  );
}

/** What only org admins see of production, or the reason why it is not shown. In test every builder sees it. */
export function AdminsInProduction({ what, children }: { readonly what: string; readonly children: ReactNode }) {
  return useHidesValues() ? <AdminsOnly what={`${what} of production`}>{children}</AdminsOnly> : children;
}
