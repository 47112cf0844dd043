import { Alert, Anchor, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { configQuery } from '../../api/session.ts';
import { AccountForm } from './account-form.tsx';
import { AccountPage } from './account-page.tsx';

export function ForgotPassword() {
  const { data: config } = useQuery(configQuery);
  const [sentTo, setSentTo] = useState<string>();
  return (
    <AccountPage
      title="Forgot your password?"
      intro="Enter the email of your account. The mail has a link by which you choose a new password."
      footer={
        <Anchor component={Link} to="/sign-in" size="sm">
          Back to sign in
        </Anchor>
      }
    >
      {sentTo === undefined ? (
        <AccountForm
          submit="Send the link"
          fields={['email']}
          onSubmit={async ({ email = '' }) => {
            await call('forgotPassword', { body: { email }, mayBeSignedOut: true });
            setSentTo(email);
          }}
        >
          {({ at }) => (
            <TextInput
              name="email"
              label="Email"
              type="email"
              autoComplete="username"
              required
              error={at('email')}
              autoFocus
            />
          )}
        </AccountForm>
      ) : (
        <Alert color="green" role="status" title="Look into your mails">
          If {sentTo} has an account, a link is on its way.
          {config?.inbox === true && (
            <>
              {' '}
              In development it lands in the{' '}
              <Anchor href="inbox" underline="always">
                inbox
              </Anchor>{' '}
              of this platform.
            </>
          )}
        </Alert>
      )}
    </AccountPage>
  );
}
