import { Anchor, Paper, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { RequireSetting } from '../account/second-factor/require-setting.tsx';
import { SettingsFrame } from './settings-page.tsx';

/** The questions of the org about its builders when they sign in. */
export function BuilderSignIn() {
  const { org, env } = usePlace();
  const base = `/o/${org}/${env}`;
  return (
    <SettingsFrame path="builders">
      <Paper withBorder p="md" component="section" aria-label="Second factors">
        <Stack gap="sm">
          <Title order={2}>Second factors</Title>
          <Text size="sm">
            A second factor is an authenticator app or a passkey beside the password. Builders add theirs on{' '}
            <Anchor component={Link} underline="always" to={`${base}/account`} size="sm">
              their account
            </Anchor>
            . An admin who knows that a member has lost all of them resets them on the screen{' '}
            <Anchor component={Link} underline="always" to={`${base}/team`} size="sm">
              Team
            </Anchor>
            . Both environments share this setting, and no deploy changes it.
          </Text>
          <RequireSetting />
        </Stack>
      </Paper>
    </SettingsFrame>
  );
}
