import { Paper, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../../api/session.ts';
import { Screen } from '../../components/screen.tsx';
import { ChangePassword } from './change-password.tsx';
import { SecondFactorSection } from './second-factor/second-factor-section.tsx';
import { Sessions } from './sessions.tsx';

/** The user's own account, section by section: the password, the second factors, and where it is signed in. */
export function Account() {
  const { data: me } = useQuery(meQuery);
  return (
    <Screen title="Your account" intro={me === undefined ? undefined : `${me.user.name}, ${me.user.email}`}>
      <PasswordSection />
      <SecondFactorSection />
      <Sessions />
    </Screen>
  );
}

function PasswordSection() {
  return (
    <Paper withBorder p="md" maw="34rem">
      <Title order={2} mb="sm">
        Password
      </Title>
      <ChangePassword />
    </Paper>
  );
}
