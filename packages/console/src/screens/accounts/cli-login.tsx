import { Alert, Button, Code, Group, Table, Text } from '@mantine/core';
import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { meQuery } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { AccountPage } from './account-page.tsx';
import { type CommandSignIn, callbackAddress, completeSignIn } from './command-sign-in.ts';

/** Shows a signed-in builder which machine asks for which rights, and tells the command what he decides. */
export function CliLogin() {
  const search = useSearch({ from: '/cli-login' });
  const [signIn] = useState(() => completeSignIn(search, new URLSearchParams(window.location.search).has('port')));
  return (
    <AccountPage title="Sign in the command line">
      {signIn === undefined ? (
        <Alert color="red">
          This address is not complete. Run <Code>freehold login</Code> again, and open the address that it shows.
        </Alert>
      ) : (
        <Decide signIn={signIn} />
      )}
    </AccountPage>
  );
}

function Decide({ signIn }: { readonly signIn: CommandSignIn }) {
  const { challenge, port, state } = signIn;
  const [answer, setAnswer] = useState<{ readonly code?: string | undefined }>();
  const { mutate, isPending, error, variables } = useMutation({
    mutationFn: (allow: boolean) => call('decideCommandSignIn', { body: { challenge, allow }, mayBeSignedOut: true }),
    onSuccess: ({ code }) => {
      if (port === undefined) setAnswer({ code });
      else
        window.location.assign(
          callbackAddress(port, { ...(code === undefined ? { error: 'access_denied' } : { code }), state }),
        );
    },
  });
  if (answer !== undefined) return <Answer code={answer.code} />;
  return (
    <>
      <Rights signIn={signIn} />
      <Text size="sm">
        Allow this only if you have just run <Code>freehold login</Code> on that machine. Anyone can send you this
        address, and would get your rights.
      </Text>
      <ProblemAlert error={error} />
      <Group grow>
        <Button variant="default" loading={isPending && variables === false} onClick={() => mutate(false)}>
          Deny
        </Button>
        <Button loading={isPending && variables === true} onClick={() => mutate(true)}>
          Allow
        </Button>
      </Group>
    </>
  );
}

function Rights({ signIn }: { readonly signIn: CommandSignIn }) {
  const { data: me } = useSuspenseQuery(meQuery);
  const rows = [
    ['Machine', signIn.name],
    ['Account', me.user.email],
    ['Org', `${me.org.name} (${me.org.code})`],
    ['Rights', me.role === 'org_admin' ? 'Admin of the org, as you are' : 'Developer of the org, as you are'],
    ['For', '12 hours, or until you end its session under Account'],
  ] as const;
  return (
    <Table variant="vertical" withTableBorder>
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th w={96}>{name}</Table.Th>
            <Table.Td>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Answer({ code }: { readonly code: string | undefined }) {
  if (code === undefined) return <Alert color="gray">Denied. The command cannot sign in by this address.</Alert>;
  return (
    <>
      <Text size="sm">
        Paste this code into the terminal within 5 minutes. It is valid once, for that command alone.
      </Text>
      <Code block data-testid="code">
        {code}
      </Code>
    </>
  );
}
