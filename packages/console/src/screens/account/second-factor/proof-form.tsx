import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { call } from '../../../api/call.ts';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { CodesLocked, FactorForm, type FactorProof } from '../../accounts/factor-form.tsx';
import { type Factors, isProtected } from './queries.ts';

export interface Proof extends FactorProof {
  readonly password?: string;
}

interface Props {
  readonly factors: Factors;
  readonly submit: string;
  readonly onProof: (proof: Proof) => Promise<void>;
}

/** A session alone changes no factor: the user proves one, or the password where there is none. */
export function ProofForm({ factors, submit, onProof }: Props) {
  if (!isProtected(factors)) return <PasswordProof submit={submit} onProof={onProof} />;
  const { totp, passkeys, recovery_codes } = factors;
  return (
    <Stack gap="sm">
      <Text size="sm">
        Prove one of your second factors first. A code that you signed in with was used: wait for the next.
      </Text>
      {totp?.locked === true && <CodesLocked />}
      <FactorForm
        submit={submit}
        onProof={onProof}
        passkeyOptions={() => call('readFactorChallenge')}
        methods={[
          ...(passkeys.length === 0 ? [] : (['passkey'] as const)),
          ...(totp === null || totp.locked === true ? [] : (['totp'] as const)),
          ...(recovery_codes === 0 ? [] : (['recovery_code'] as const)),
        ]}
      />
    </Stack>
  );
}

function PasswordProof({ submit, onProof }: Omit<Props, 'factors'>) {
  const { mutate, isPending, error } = useMutation({ mutationFn: (password: string) => onProof({ password }) });
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    event.stopPropagation();
    mutate(String(new FormData(event.currentTarget).get('password') ?? ''));
  };
  return (
    <form onSubmit={send}>
      <Stack gap="sm">
        <PasswordInput name="password" label="Your password" autoComplete="current-password" required data-autofocus />
        <ProblemAlert error={error} />
        <Button type="submit" loading={isPending} fullWidth>
          {submit}
        </Button>
      </Stack>
    </form>
  );
}
