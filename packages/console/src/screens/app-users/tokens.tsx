import { Anchor, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { When } from '../../components/when.tsx';
import type { AppUserDetails } from './queries.ts';

/** The facts that the platform has about the user's sessions, which is little: tokens are not stored. */
export function Tokens({ user }: { readonly user: AppUserDetails }) {
  const { org, env, adminReason } = usePlace();
  const closed = closedBy(user);
  return (
    <Stack gap="xs" component="section" aria-label="Tokens">
      <Title order={2}>Tokens</Title>
      <Text size="sm" component="div">
        {closed ?? <Revoked at={user.tokens_revoked_at} />}
      </Text>
      <Text size="sm" c="dimmed">
        A token proves itself and is not stored, so there is no list of devices and no time of the last sign-in. It is
        good for 48 hours. An app renews it without a new sign-in for 30 days, so a sign-in is over after 32 days at
        most.
      </Text>
      {adminReason === undefined && (
        <Text size="sm">
          The{' '}
          <Anchor
            component={Link}
            to={`/o/${org}/${env}/audit`}
            search={{ object: user.id, in: env } as never}
            size="sm"
            underline="always"
          >
            audit log of this account
          </Anchor>{' '}
          says who signed the user out, who disabled the account, and who viewed the app as this user and why.
        </Text>
      )}
    </Stack>
  );
}

function Revoked({ at }: { readonly at: string | null }) {
  if (at === null) return 'No revocation of all tokens is recorded.';
  return (
    <>
      All tokens were revoked last <When at={at} />, by a new password, a sign-out everywhere or an admin. Tokens that
      are good now were issued since.
    </>
  );
}

/** Why no token of the account is good. */
function closedBy({ disabled, merged_into }: AppUserDetails): string | undefined {
  if (merged_into !== null)
    return 'No token of this account is good: its sign-ins get tokens of the account that it is part of.';
  return disabled === null ? undefined : 'No token of this account is good while the account is disabled.';
}
