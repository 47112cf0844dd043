import { Anchor, Button, List, Select, Stack, Tabs, Text, Textarea } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import { usePlace } from '../../../api/session.ts';
import { CopyId } from '../../../components/copy-id.tsx';
import { Dialog } from '../../../components/dialog/dialog.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import { nameOf, type Provider } from './provider.ts';
import { redirectUri, signInLink } from './started-sign-in.ts';
import { Verdict } from './verdict.tsx';

interface Props {
  /** As it is edited, stored or not. */
  readonly provider: Provider;
  readonly onClose: () => void;
}

/** Two ways to see whether the platform takes a token of a provider: a sign-in there, and a token that is pasted. */
export function SignInTest({ provider, onClose }: Props) {
  return (
    <Dialog onClose={onClose} title={`Test sign-in by ${nameOf(provider)}`} size="lg">
      <Stack>
        <Text size="sm">
          The test says whether the app would take the identity token, and why not. It makes no account and no session,
          and it goes by the provider as it is edited here, saved or not.
        </Text>
        <Tabs defaultValue="sign-in" keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="sign-in">Sign in at the provider</Tabs.Tab>
            <Tabs.Tab value="paste">Paste a token</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="sign-in">
            <AtProvider provider={provider} />
          </Tabs.Panel>
          <Tabs.Panel value="paste">
            <PastedToken provider={provider} />
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Dialog>
  );
}

function AtProvider({ provider }: { readonly provider: Provider }) {
  const { org, env } = usePlace();
  const [clientId = '', setClientId] = useState(provider.audiences[0]);
  const link = useQuery({
    queryKey: ['sign-in link', org, env, provider, clientId],
    queryFn: async ({ signal }) => {
      const found = await call('discoverProvider', { body: { issuer: provider.issuer }, signal });
      const { authorization_endpoint, scopes } = found;
      if (authorization_endpoint === null) return null;
      const start = { org, env, provider, clientId, scopes, authorizationEndpoint: authorization_endpoint };
      return (await signInLink(start)) ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    enabled: clientId !== '',
    retry: false,
  });
  if (clientId === '') return <Text size="sm">The provider needs a client id first.</Text>;
  return (
    <Stack>
      <List size="sm" type="ordered" spacing="xs">
        <List.Item>
          Register this redirect URI at the provider, at a client without a secret:{' '}
          <CopyId value={redirectUri()} what="redirect URI" />
        </List.Item>
        <List.Item>Sign in at the provider. Its page opens in a new tab, and leads back to the result.</List.Item>
      </List>
      {provider.audiences.length > 1 && (
        <Select
          label="Client id"
          data={[...provider.audiences]}
          value={clientId}
          allowDeselect={false}
          onChange={(chosen) => setClientId(chosen ?? clientId)}
        />
      )}
      <Loaded query={link}>
        {(found) =>
          found === null ? (
            <Text size="sm">
              The provider names no page to sign in at, or this browser gives the console no cryptography: open the
              console by https or on this machine. A token can still be pasted.
            </Text>
          ) : (
            <Anchor
              href={found.href}
              target="_blank"
              rel="noopener noreferrer"
              fw={600}
              onClick={found.begin}
              onAuxClick={found.begin}
            >
              Sign in at {nameOf(provider)}
            </Anchor>
          )
        }
      </Loaded>
    </Stack>
  );
}

function PastedToken({ provider }: { readonly provider: Provider }) {
  const { env } = usePlace();
  const [token, setToken] = useState('');
  const test = useMutation({
    mutationFn: () =>
      call('testSignIn', { query: { env }, body: { id_token: token.trim(), provider: { ...provider } } }),
  });
  return (
    <Stack>
      <Textarea
        label="Identity token"
        description="A JSON Web Token that the provider gave. It is sent to the platform, and kept nowhere."
        value={token}
        autosize
        minRows={3}
        maxRows={8}
        spellCheck={false}
        autoComplete="off"
        onChange={({ currentTarget: { value } }) => setToken(value)}
      />
      <ProblemAlert error={test.error} />
      <ReasonedButton
        reason={token.trim() === '' ? 'Paste a token first.' : undefined}
        loading={test.isPending}
        onClick={() => test.mutate()}
      >
        Test the token
      </ReasonedButton>
      {test.data !== undefined && <Verdict verdict={test.data} />}
      {test.data !== undefined && (
        <Button variant="default" onClick={test.reset}>
          Clear the result
        </Button>
      )}
    </Stack>
  );
}
