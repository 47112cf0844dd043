import type { ReactNode } from 'react';
import { usePlace } from '../../api/session.ts';
import { EmptyState } from '../empty-state.tsx';

/** What only org admins see, or the reason why it is not shown. */
export function AdminsOnly({ what, children }: { readonly what: string; readonly children: ReactNode }) {
  const { adminReason } = usePlace();
  if (adminReason === undefined) return children;
  return (
    <EmptyState title="Only org admins see this">
      You are a developer of this org. An org admin sees {what}, and can give you the role org admin on the screen Team.
    </EmptyState>
  );
}
