import { Anchor, Group, Loader, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { AccountPage } from './account-page.tsx';
import { mailedCode } from './mailed-code.ts';
import { IncompleteLink } from './reset-password.tsx';
import { asCookie, useSessionBegun } from './session-begun.ts';

/** Signs in by the code of a link, which is valid once. */
export function SignInLink() {
  const [code] = useState(mailedCode);
  const begun = useSessionBegun();
  const { mutate, error } = useMutation({
    mutationFn: () => call('signInByLink', { body: { code }, headers: asCookie, mayBeSignedOut: true }),
    onSuccess: ({ org }) => begun(org.code),
  });
  // In development React runs effects twice, and the code is valid once.
  const isSent = useRef(false);
  useEffect(() => {
    if (code === '' || isSent.current) return;
    isSent.current = true;
    mutate();
  }, [code, mutate]);
  return (
    <AccountPage
      title="Sign in"
      footer={
        <Anchor component={Link} to="/sign-in" size="sm">
          Sign in with a password
        </Anchor>
      }
    >
      {code === '' ? (
        <IncompleteLink />
      ) : error === null ? (
        <Group role="status">
          <Loader size="sm" />
          <Text>Signing you in</Text>
        </Group>
      ) : (
        <>
          <ProblemAlert error={error} />
          <Text size="sm">
            A link is valid once, for 15 minutes. The next start of the platform prints another one.
          </Text>
        </>
      )}
    </AccountPage>
  );
}
