import { Anchor, PasswordInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { configQuery } from '../../api/session.ts';
import { AccountForm } from './account-form.tsx';
import { AccountPage } from './account-page.tsx';
import { FactorStep, type SignInStep } from './factor-step.tsx';
import { PasskeySignIn } from './passkey-sign-in.tsx';
import { asCookie, useSessionStarted } from './session-started.ts';

export function SignIn() {
  const { next } = useSearch({ from: '/sign-in' });
  const { data: config } = useQuery(configQuery);
  const started = useSessionStarted();
  const [step, setStep] = useState<SignInStep>();
  if (step !== undefined)
    return (
      <AccountPage title="Second factor">
        <FactorStep step={step} onSignedIn={(org) => started(org, next)} onOver={() => setStep(undefined)} />
      </AccountPage>
    );
  return (
    <AccountPage
      title="Sign in"
      footer={
        <>
          {config?.sign_up === true && (
            <Anchor component={Link} to="/sign-up" size="sm">
              Create an org
            </Anchor>
          )}
          <Anchor component={Link} to="/forgot-password" size="sm">
            Forgot your password?
          </Anchor>
          <Anchor component={Link} to="/operations" size="sm">
            Operations
          </Anchor>
        </>
      }
    >
      <AccountForm
        submit="Sign in"
        fields={['email', 'password']}
        onSubmit={async ({ email = '', password = '' }) => {
          const answer = await call('logIn', { body: { email, password }, headers: asCookie, mayBeSignedOut: true });
          if ('second_factor' in answer) setStep(answer.second_factor);
          else await started(answer.org.code, next);
        }}
      >
        {({ at }) => (
          <>
            <TextInput
              name="email"
              label="Email"
              type="email"
              autoComplete="username"
              required
              error={at('email')}
              autoFocus
            />
            <PasswordInput
              name="password"
              label="Password"
              autoComplete="current-password"
              required
              error={at('password')}
            />
          </>
        )}
      </AccountForm>
      <PasskeySignIn onSignedIn={(org) => started(org, next)} />
    </AccountPage>
  );
}
