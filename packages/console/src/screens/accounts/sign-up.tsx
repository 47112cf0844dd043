import { Anchor, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { AccountForm } from './account-form.tsx';
import { AccountPage } from './account-page.tsx';
import { NewPasswordInput } from './new-password-input.tsx';
import { asCookie, useSessionBegun } from './session-begun.ts';

export function SignUp() {
  const begun = useSessionBegun();
  return (
    <AccountPage
      title="Create an org"
      intro="An org has a test and a production environment. You are its first admin."
      footer={
        <Anchor component={Link} to="/sign-in" size="sm">
          Sign in instead
        </Anchor>
      }
    >
      <AccountForm
        submit="Create the org"
        fields={['name', 'email', 'password', 'org_name']}
        onSubmit={async ({ name = '', email = '', password = '', org_name = '' }) => {
          const body = { name, email, password, org_name };
          const { org } = await call('signUp', { body, headers: asCookie, mayBeSignedOut: true });
          await begun(org.code);
        }}
      >
        {({ at }) => (
          <>
            <TextInput name="name" label="Your name" autoComplete="name" required error={at('name')} autoFocus />
            <TextInput name="email" label="Email" type="email" autoComplete="username" required error={at('email')} />
            <NewPasswordInput name="password" label="Password" error={at('password')} />
            <TextInput
              name="org_name"
              label="Name of the org"
              description="Such as the name of your company or product"
              autoComplete="organization"
              required
              error={at('org_name')}
            />
          </>
        )}
      </AccountForm>
    </AccountPage>
  );
}
