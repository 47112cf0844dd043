import { Stack, Text, Title } from '@mantine/core';
import { When } from '../../components/when.tsx';
import type { AppUserDetails } from './queries.ts';

/** What the platform knows of the user's sessions, which is little: tokens are not stored. */
export function Tokens({ user: { tokens_revoked_at } }: { readonly user: AppUserDetails }) {
  return (
    <Stack gap="xs" component="section" aria-label="Tokens">
      <Title order={2}>Tokens</Title>
      <Text size="sm">
        {tokens_revoked_at === null ? (
          'No revocation of all tokens is recorded.'
        ) : (
          <>
            All tokens were revoked last <When at={tokens_revoked_at} />, by a new password, a sign-out everywhere or an
            admin. Tokens that are good now were issued since.
          </>
        )}
      </Text>
      <Text size="sm" c="dimmed">
        A token proves itself and is not stored, so there is no list of devices and no time of the last sign-in. It is
        good for 48 hours, and is renewed without a new sign-in for up to 30 days.
      </Text>
    </Stack>
  );
}
