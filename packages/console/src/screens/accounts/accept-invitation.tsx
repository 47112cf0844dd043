import { Anchor, PasswordInput, SegmentedControl, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { AccountForm } from './account-form.tsx';
import { AccountPage } from './account-page.tsx';
import { FactorStep, type SignInStep } from './factor-step.tsx';
import { mailedCode } from './mailed-code.ts';
import { NewPasswordInput } from './new-password-input.tsx';
import { IncompleteLink } from './reset-password.tsx';
import { asCookie, useSessionStarted } from './session-started.ts';

export function AcceptInvitation() {
  const [code] = useState(mailedCode);
  const [kind, setKind] = useState('new');
  const [step, setStep] = useState<SignInStep>();
  const started = useSessionStarted();
  const isNew = kind === 'new';
  const accept = async ({ name = '', password = '' }) => {
    const body = { code, password, ...(isNew ? { name } : {}) };
    const answer = await call('acceptInvitation', { body, headers: asCookie, mayBeSignedOut: true });
    if ('second_factor' in answer) setStep(answer.second_factor);
    else await started(answer.org.code);
  };
  if (step !== undefined)
    return (
      <AccountPage title="Second factor">
        <FactorStep step={step} onSignedIn={started} onOver={() => setStep(undefined)} />
      </AccountPage>
    );
  return (
    <AccountPage
      title="Join the org"
      intro="You were invited by email. The account has the address that the invitation was sent to."
      footer={
        <Anchor component={Link} to="/sign-in" size="sm">
          Sign in instead
        </Anchor>
      }
    >
      {code === '' ? (
        <IncompleteLink />
      ) : (
        <>
          <SegmentedControl
            fullWidth
            aria-label="Your account"
            value={kind}
            onChange={setKind}
            data={[
              { value: 'new', label: 'I am new' },
              { value: 'known', label: 'I have an account' },
            ]}
          />
          <AccountForm key={kind} submit="Join" fields={['name', 'password']} onSubmit={accept}>
            {({ at }) =>
              isNew ? (
                <>
                  <TextInput name="name" label="Your name" autoComplete="name" required error={at('name')} />
                  <NewPasswordInput name="password" label="Password" error={at('password')} />
                </>
              ) : (
                <PasswordInput
                  name="password"
                  label="Your password"
                  autoComplete="current-password"
                  required
                  error={at('password')}
                />
              )
            }
          </AccountForm>
        </>
      )}
    </AccountPage>
  );
}
