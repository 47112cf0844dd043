import { Badge } from '@mantine/core';
import type { AppUser } from './queries.ts';

const words = {
  active: 'active',
  disabled: 'disabled',
  password_suspended: 'password suspended',
  merged: 'merged',
  erasing: 'being erased',
} as const;

/** Whether the account can be signed in to. */
export function AccountState({ state }: Pick<AppUser, 'state'>) {
  const color = state === 'active' || state === 'merged' ? 'gray' : 'red';
  return (
    <Badge variant="outline" color={color} tt="none">
      {words[state]}
    </Badge>
  );
}
