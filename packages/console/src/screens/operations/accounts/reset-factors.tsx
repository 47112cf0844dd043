import { List, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { TypedConfirmation } from '../../../components/typed-confirmation.tsx';
import { operate } from '../operate.ts';
import type { FactorReset } from './factor-reset.ts';

interface Props {
  readonly reset: FactorReset;
  /** Told the orgs of the account. */
  readonly onDone: (orgs: readonly string[]) => void;
  readonly onClose: () => void;
}

/** Says what a reset does, before it is done. */
export function ResetFactors({ reset: requests, onDone, onClose }: Props) {
  const client = useQueryClient();
  const { email, reason } = requests;
  const reset = useMutation({
    mutationFn: () => operate('resetAccountFactors', { body: requests }),
    onSuccess: async ({ orgs }) => {
      onDone(orgs);
      await client.invalidateQueries({ queryKey: ['operator audit'] });
    },
  });
  return (
    <TypedConfirmation
      title={`Reset the second factors of ${email}`}
      name={email}
      what="account"
      action="Reset the second factors"
      work={{ ...reset, mutate: () => reset.mutate() }}
      onClose={onClose}
    >
      <List size="sm" spacing="xs">
        <List.Item>The authenticator app, all passkeys and the recovery codes of the account are removed.</List.Item>
        <List.Item>Every session of the account ends, in all of its orgs. A mail tells the person.</List.Item>
        <List.Item>
          From then on the password alone signs in. An org that requires a second factor asks for a new one.
        </List.Item>
        <List.Item>Your audit log and that of each org of the account keep the reason: {reason}</List.Item>
      </List>
      <Text size="sm">What was removed cannot be brought back.</Text>
    </TypedConfirmation>
  );
}
