import { Anchor, Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { AccountPage } from './account-page.tsx';
import { FactorStep, type SignInStep } from './factor-step.tsx';
import { mailedCode } from './mailed-code.ts';
import { IncompleteLink } from './reset-password.tsx';
import { asCookie, useSessionStarted } from './session-started.ts';

/**
 * Signs in by the code of a link, which is valid once. It waits for a click, because another site may have led here, to
 * have the user work in the account of its own.
 */
export function SignInLink() {
  const [code] = useState(mailedCode);
  const [step, setStep] = useState<SignInStep>();
  const started = useSessionStarted();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('signInByLink', { body: { code }, headers: asCookie, mayBeSignedOut: true }),
    onSuccess: (answer) => ('second_factor' in answer ? setStep(answer.second_factor) : started(answer.org.code)),
  });
  if (step !== undefined)
    return (
      <AccountPage title="Second factor">
        <FactorStep step={step} onSignedIn={started} onOver={() => window.location.assign('sign-in')} />
      </AccountPage>
    );
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
      ) : (
        <>
          <Text size="sm">
            This link signs you in to the account that it was made for, in place of any account that you are signed in
            to here. Go on only if you made it, or the platform printed it when you started it.
          </Text>
          <ProblemAlert error={error} />
          {error !== null && (
            <Text size="sm">
              A link is valid once, for 15 minutes. The next start of the platform prints another one.
            </Text>
          )}
          <Button loading={isPending} onClick={() => mutate()} fullWidth>
            Sign in
          </Button>
        </>
      )}
    </AccountPage>
  );
}
