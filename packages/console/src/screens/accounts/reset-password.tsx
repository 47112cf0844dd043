import { Alert, Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { AccountForm } from './account-form.tsx';
import { AccountPage } from './account-page.tsx';
import { mailedCode } from './mailed-code.ts';
import { NewPasswordInput } from './new-password-input.tsx';

export function ResetPassword() {
  const [code] = useState(mailedCode);
  const [isSet, setIsSet] = useState(false);
  const signIn = (
    <Anchor component={Link} to="/sign-in" size="sm">
      Sign in
    </Anchor>
  );
  return (
    <AccountPage title="Choose a new password" intro="Every session of your account ends with it." footer={signIn}>
      {code === '' && <IncompleteLink />}
      {code !== '' && isSet && (
        <Alert color="green" role="status" title="Your password is changed">
          Sign in with the new one.
        </Alert>
      )}
      {code !== '' && !isSet && (
        <AccountForm
          submit="Change the password"
          fields={['new_password']}
          onSubmit={async ({ new_password = '' }) => {
            await call('resetPassword', { body: { code, new_password }, mayBeSignedOut: true });
            setIsSet(true);
          }}
        >
          {({ at }) => <NewPasswordInput name="new_password" label="New password" error={at('new_password')} />}
        </AccountForm>
      )}
    </AccountPage>
  );
}

export function IncompleteLink() {
  return (
    <Alert color="yellow" role="alert" title="The link is incomplete">
      It has no code. Open it as a whole.
    </Alert>
  );
}
