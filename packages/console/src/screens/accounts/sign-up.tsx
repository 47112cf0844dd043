import { proposeOrgCode } from '@freehold/contract/org-code';
import { Anchor, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { AccountForm, type FieldErrors } from './account-form.tsx';
import { AccountPage } from './account-page.tsx';
import { NewPasswordInput } from './new-password-input.tsx';
import { asCookie, useSessionStarted } from './session-started.ts';

export function SignUp() {
  const started = useSessionStarted();
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
        fields={['name', 'email', 'password', 'org_name', 'org_code']}
        onSubmit={async ({ name = '', email = '', password = '', org_name = '', org_code = '' }) => {
          const body = { name, email, password, org_name, org_code };
          const { org } = await call('signUp', { body, headers: asCookie, mayBeSignedOut: true });
          await started(org.code);
        }}
      >
        {({ at }) => (
          <>
            <TextInput name="name" label="Your name" autoComplete="name" required error={at('name')} autoFocus />
            <TextInput name="email" label="Email" type="email" autoComplete="username" required error={at('email')} />
            <NewPasswordInput name="password" label="Password" error={at('password')} />
            <OrgInputs at={at} />
          </>
        )}
      </AccountForm>
    </AccountPage>
  );
}

/** The name of the org, and the code that is proposed for it until another one is typed. */
function OrgInputs({ at }: FieldErrors) {
  const [name, setName] = useState('');
  const [typed, setTyped] = useState<string>();
  const { code = '', leftOut } = proposeOrgCode(name);
  const note = leftOut === '' || typed !== undefined ? '' : ` It has no letters for “${leftOut}”: check it.`;
  return (
    <>
      <TextInput
        name="org_name"
        label="Name of the org"
        description="Such as the name of your company or product"
        autoComplete="organization"
        required
        error={at('org_name')}
        value={name}
        onChange={({ currentTarget: { value } }) => setName(value)}
      />
      <TextInput
        name="org_code"
        label="Code of the org"
        description={`Names the org in the addresses of its API, and stays. 2 to 32 of a–z and 0–9, beginning with a letter.${note}`}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
        maxLength={32}
        error={at('org_code')}
        value={typed ?? code}
        onChange={({ currentTarget: { value } }) => setTyped(value)}
      />
    </>
  );
}
