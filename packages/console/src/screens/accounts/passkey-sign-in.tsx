import { Button, Divider } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { passkeyReason, signByPasskey } from '../../api/passkeys.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { asCookie } from './session-started.ts';

/** Signs in by a passkey alone. Nothing where this browser has none at this address. */
export function PasskeySignIn({ onSignedIn }: { readonly onSignedIn: (org: string) => Promise<void> }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const passkey = await signByPasskey(await call('readPasskeyChallenge', { mayBeSignedOut: true }));
      const { org } = await call('signInByPasskey', { body: { passkey }, headers: asCookie, mayBeSignedOut: true });
      await onSignedIn(org.code);
    },
  });
  if (passkeyReason() !== undefined) return null;
  return (
    <>
      <Divider label="or" />
      <ProblemAlert error={error} />
      <Button variant="default" onClick={() => mutate()} loading={isPending} fullWidth>
        Use a passkey
      </Button>
    </>
  );
}
