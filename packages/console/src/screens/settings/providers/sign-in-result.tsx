import { Alert, Paper, Skeleton, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../api/call.ts';
import { usePlace } from '../../../api/session.ts';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { nameOf } from './provider.ts';
import { type ReturnedSignIn, returnedSignIn } from './started-sign-in.ts';
import { Verdict } from './verdict.tsx';

/** The outcome of the sign-in that the provider sent this tab back from. */
export function SignInResult() {
  const { org, env } = usePlace();
  const returned = returnedSignIn();
  const isHere = returned !== undefined && returned.begun.org === org && returned.begun.env === env;
  return (
    <Paper withBorder p="md" component="section" aria-label="Test of a sign-in">
      <Title order={2} mb="sm">
        {isHere ? `Test of a sign-in by ${nameOf(returned.begun.provider)}` : 'Test of a sign-in'}
      </Title>
      {isHere ? (
        <Returned returned={returned} />
      ) : (
        <Text size="sm">The result is shown once. Begin the test of the provider again to see another.</Text>
      )}
    </Paper>
  );
}

function Returned({ returned: { begun: started, code, refusal } }: { readonly returned: ReturnedSignIn }) {
  if (code === undefined)
    return (
      <Alert color="red" role="alert" title="The provider gave no code.">
        {refusal ?? 'It led back without a code and without an error.'}
      </Alert>
    );
  return <Exchanged begun={started} code={code} />;
}

interface ExchangedProps {
  readonly begun: ReturnedSignIn['begun'];
  readonly code: string;
}

function Exchanged({ begun: started, code }: ExchangedProps) {
  const { env, provider, clientId, redirectUri, verifier, nonce } = started;
  const verdict = useQuery({
    queryKey: ['sign-in test', nonce],
    queryFn: () =>
      call('testSignIn', {
        query: { env },
        body: {
          provider: { ...provider },
          code: {
            issuer: provider.issuer,
            client_id: clientId,
            value: code,
            verifier,
            redirect_uri: redirectUri,
            nonce,
          },
        },
      }),
    // A code is good once.
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retryOnMount: false,
  });
  if (verdict.data !== undefined) return <Verdict verdict={verdict.data} />;
  return verdict.isError ? <ProblemAlert error={verdict.error} /> : <Skeleton height={320} />;
}
