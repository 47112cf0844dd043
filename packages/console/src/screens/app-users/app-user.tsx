import { Alert, Anchor, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ApiProblem } from '../../api/problem.ts';
import { usePlace } from '../../api/session.ts';
import { CopyId } from '../../components/copy-id.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Screen } from '../../components/screen.tsx';
import { When } from '../../components/when.tsx';
import { AccountState } from './account-state.tsx';
import { DisableUser, EnableUser } from './disable-user.tsx';
import { Identities } from './identities.tsx';
import { Memberships } from './memberships.tsx';
import { type AppUserDetails, appUserQuery, nameOf } from './queries.ts';
import { SignOutUser } from './sign-out-user.tsx';
import { SuspendedPassword } from './suspended-password.tsx';
import { Tokens } from './tokens.tsx';
import { ViewAs } from './view-as.tsx';

/** One account of the app: how it is signed in to, where it is a member, and what may be done about it. */
export function AppUserScreen() {
  const { env } = usePlace();
  const { user: id } = useParams({ from: '/o/$org/$env/app-users/$user' });
  const user = useQuery(appUserQuery(env, id));
  if (user.error instanceof ApiProblem && user.error.code === 'not_found') return <NoUser id={id} />;
  return (
    <Screen
      title={user.data?.email ?? 'App user'}
      intro={user.data && <Facts user={user.data} />}
      actions={user.data && <Actions user={user.data} />}
    >
      <Loaded query={user} skeleton={<Skeleton height={420} />}>
        {(data) => (
          <Stack gap="xl">
            <Notices user={data} />
            <Memberships user={data} />
            <Identities user={data} />
            <Tokens user={data} />
          </Stack>
        )}
      </Loaded>
    </Screen>
  );
}

/** The audit log leads here for accounts that are no more, too. */
function NoUser({ id }: { readonly id: string }) {
  const { org, env } = usePlace();
  return (
    <Screen title="App user" intro={<CopyId value={id} what="user id" />}>
      <EmptyState
        title="There is no such account"
        action={
          <Button component={Link} to={`/o/${org}/${env}/app-users/${id}/personal-data`} variant="default">
            Reports on this person
          </Button>
        }
      >
        {env === 'test' ? 'Test' : 'Production'} has no account with this id. If it was erased, its reports are kept for
        30 days.
      </EmptyState>
    </Screen>
  );
}

function Facts({ user }: { readonly user: AppUserDetails }) {
  const name = nameOf(user);
  return (
    <Group gap="xs" component="span">
      {name !== '' && <span>{name}</span>}
      <AccountState state={user.state} />
      <span>
        created <When at={user.created_at} />
      </span>
      <CopyId value={user.id} what="user id" />
    </Group>
  );
}

function Actions({ user }: { readonly user: AppUserDetails }) {
  const { org, env } = usePlace();
  if (user.merged_into !== null) return null;
  return (
    <>
      <Button component={Link} to={`/o/${org}/${env}/app-users/${user.id}/personal-data`} variant="default">
        Personal data
      </Button>
      <ViewAs user={user} />
      <SignOutUser user={user} />
      {user.disabled === null ? <DisableUser user={user} /> : <EnableUser user={user} />}
    </>
  );
}

/** Why the account cannot be signed in to. */
function Notices({ user }: { readonly user: AppUserDetails }) {
  const { org, env } = usePlace();
  const { disabled, merged_into, suspends } = user;
  return (
    <>
      {disabled !== null && (
        <Alert color="red" role="note" title="The account is disabled">
          <Text size="sm">
            An admin of the org disabled it <When at={disabled.at} />. Reason: {disabled.reason}
          </Text>
        </Alert>
      )}
      {merged_into !== null && (
        <Alert color="gray" role="note" title="The account has become part of another">
          <AccountLink id={merged_into}>Open the account that it is part of</AccountLink>
        </Alert>
      )}
      {suspends !== null && (
        <Text size="sm">
          The password of <AccountLink id={suspends}>another account</AccountLink> with the same address is suspended,
          because this account has verified the address.
        </Text>
      )}
      <SuspendedPassword key={`${org} ${env} ${user.id}`} user={user} />
    </>
  );
}

function AccountLink({ id, children }: { readonly id: string; readonly children: string }) {
  const { org, env } = usePlace();
  return (
    <Anchor component={Link} to={`/o/${org}/${env}/app-users/${id}`} size="sm" underline="always">
      {children}
    </Anchor>
  );
}
