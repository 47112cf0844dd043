import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { passkeyReason } from '../../../api/passkeys.ts';
import { queryClient } from '../../../api/query-client.ts';
import { meQuery, orgsQuery } from '../../../api/session.ts';
import { Loaded } from '../../../components/loaded.tsx';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import { useSignOut } from '../../../shell/account-menu.tsx';
import { AccountPage } from '../../accounts/account-page.tsx';
import { AddApp } from './add-app.tsx';
import { AddPasskey } from './add-passkey.tsx';
import { factorsQuery } from './queries.ts';
import { RecoveryCodes } from './recovery-codes.tsx';

/** Where the org requires a second factor that the user does not have: nothing else can be done but to leave for another org, or to sign out. */
export function RequiredFactor() {
  const { data: me } = useSuspenseQuery(meQuery);
  const { next } = useSearch({ from: '/second-factor' });
  const navigate = useNavigate();
  const signOut = useSignOut();
  const factors = useQuery(factorsQuery);
  const [kind, setKind] = useState<'app' | 'passkey'>();
  const [codes, setCodes] = useState<readonly string[]>();
  const proceed = async () => {
    queryClient.clear();
    if (next === undefined) await navigate({ to: '/o/$org/$env', params: { org: me.org.code, env: 'test' } });
    else await navigate({ to: next });
  };
  const added = (made: readonly string[] | undefined) => (made === undefined ? void proceed() : setCodes(made));
  return (
    <AccountPage
      title="Add a second factor"
      intro={`${me.org.name} requires a second factor of its members. You are signed in as ${me.user.email}.`}
      footer={
        <Stack gap="xs" align="flex-start">
          {codes === undefined && <OtherOrgs org={me.org.code} />}
          <Anchor component="button" type="button" size="sm" onClick={signOut}>
            Sign out
          </Anchor>
        </Stack>
      }
    >
      {codes !== undefined ? (
        <RecoveryCodes codes={codes} onKept={() => void proceed()} />
      ) : (
        <Loaded query={factors}>
          {(held) => (
            <Stack gap="sm">
              {kind === undefined && <Choice choose={setKind} />}
              {kind === 'app' && <AddApp factors={held} onAdded={added} />}
              {kind === 'passkey' && <AddPasskey factors={held} onAdded={added} />}
              {kind !== undefined && (
                <Anchor component="button" type="button" size="sm" onClick={() => setKind(undefined)}>
                  Choose another
                </Anchor>
              )}
            </Stack>
          )}
        </Loaded>
      )}
    </AccountPage>
  );
}

/** Another org need not ask for one. */
function OtherOrgs({ org }: { readonly org: string }) {
  const { data } = useQuery(orgsQuery);
  return (data?.items ?? [])
    .filter(({ code }) => code !== org)
    .map(({ code, name }) => (
      <Anchor key={code} component={Link} to="/o/$org" params={{ org: code } as never} size="sm">
        Go to {name}
      </Anchor>
    ));
}

function Choice({ choose }: { readonly choose: (kind: 'app' | 'passkey') => void }) {
  return (
    <>
      <Button onClick={() => choose('app')} fullWidth>
        Authenticator app
      </Button>
      <ReasonedButton variant="default" fullWidth reason={passkeyReason()} onClick={() => choose('passkey')}>
        Passkey
      </ReasonedButton>
      <Text size="sm" c="dimmed">
        An app shows codes on your phone. A passkey is kept by this device, your phone, or a security key.
      </Text>
    </>
  );
}
