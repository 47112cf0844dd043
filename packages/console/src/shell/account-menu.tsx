import { ActionIcon, Menu, Text, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { call } from '../api/call.ts';
import { ApiProblem } from '../api/problem.ts';
import { queryClient } from '../api/query-client.ts';
import { meQuery, usePlace } from '../api/session.ts';
import { forgetViewReasons } from '../api/view-reason.ts';
import { LeaveIcon, MoonIcon, SunIcon, UserIcon } from '../components/icons.tsx';
import { announceOrg } from './org-channel.ts';

export function AccountMenu() {
  const { org, env } = usePlace();
  const { data: me } = useQuery(meQuery);
  const signOut = useSignOut();
  const { isDark, toggle } = useDarkness();
  return (
    <Menu position="bottom-end" width={240} closeOnItemClick>
      <Menu.Target>
        <ActionIcon variant="default" size={32} radius="xl" aria-label="Account">
          <UserIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {me !== undefined && (
          <>
            <Menu.Label>
              <Text size="sm" fw={500} truncate>
                {me.user.name}
              </Text>
              <Text size="xs" truncate>
                {me.user.email}
              </Text>
              <Text size="xs">{me.role === 'org_admin' ? 'Admin of the org' : 'Developer'}</Text>
            </Menu.Label>
            <Menu.Divider />
          </>
        )}
        <Menu.Item component={Link} to="/o/$org/$env/account" params={{ org, env } as never} leftSection={<UserIcon />}>
          Your account
        </Menu.Item>
        <Menu.Item leftSection={isDark ? <SunIcon /> : <MoonIcon />} onClick={toggle}>
          {isDark ? 'Light colours' : 'Dark colours'}
        </Menu.Item>
        <Menu.Item component={Link} to="/operations">
          Operations
        </Menu.Item>
        <Menu.Item leftSection={<LeaveIcon />} onClick={signOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

export function useDarkness() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return { isDark, toggle: () => setColorScheme(isDark ? 'light' : 'dark') };
}

/** Ends the session. A session that has ended already is as good. */
export function useSignOut(): () => void {
  const navigate = useNavigate();
  const { mutate } = useMutation({
    mutationFn: async () => {
      // At once, since the page may be left before the reply.
      forgetViewReasons();
      await call('logOut', { mayBeSignedOut: true }).catch((error: unknown) => {
        if (!(error instanceof ApiProblem) || error.status !== 401) throw error;
      });
    },
    onSuccess: async () => {
      announceOrg(undefined);
      await navigate({ to: '/sign-in' });
      queryClient.clear();
    },
  });
  return () => mutate();
}
