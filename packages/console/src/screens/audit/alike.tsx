import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { AuditSearch } from './audit-search.ts';

/** To the entries that have this in common. */
export function Alike({ search, children }: { readonly search: AuditSearch; readonly children: string }) {
  return (
    <Anchor component={Link} to="." search={search as never} size="sm">
      {children}
    </Anchor>
  );
}
