import { Alert, Anchor, Button, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { passkeyReason, signByPasskey } from '../../api/passkeys.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';

type Method = 'totp' | 'passkey' | 'recovery_code';
type PasskeyOptions = Parameters<typeof signByPasskey>[0];

/** What proves a second factor, as the API takes it. */
export interface FactorProof {
  readonly code?: string;
  readonly recovery_code?: string;
  readonly passkey?: Awaited<ReturnType<typeof signByPasskey>>;
}

interface Props {
  readonly methods: readonly Method[];
  /** What the browser is to sign with a passkey. */
  readonly passkeyOptions: () => Promise<PasskeyOptions>;
  readonly submit: string;
  readonly onProof: (proof: FactorProof) => Promise<void>;
}

/** Why codes of the authenticator app are not asked for. */
export function CodesLocked() {
  return (
    <Alert color="yellow">
      Too many wrong codes were entered. Codes of your authenticator app work again after you use another factor.
    </Alert>
  );
}

/** Asks for a second factor: a passkey, a code of the authenticator app, or a recovery code. */
export function FactorForm({ methods, passkeyOptions, submit, onProof }: Props) {
  const reason = passkeyReason();
  const hasPasskey = methods.includes('passkey') && reason === undefined;
  const hasApp = methods.includes('totp');
  const [isRecovering, setIsRecovering] = useState(!hasPasskey && !hasApp);
  const { mutate, isPending, error, reset } = useMutation({ mutationFn: onProof });
  const byPasskey = useMutation({
    mutationFn: async () => onProof({ passkey: await signByPasskey(await passkeyOptions()) }),
  });
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // A dialog is drawn elsewhere, and its events still pass through the screen below.
    event.stopPropagation();
    const typed = String(new FormData(event.currentTarget).get('code') ?? '');
    mutate(isRecovering ? { recovery_code: typed } : { code: typed });
  };
  return (
    <Stack gap="sm">
      {hasPasskey && (
        <Button onClick={() => byPasskey.mutate()} loading={byPasskey.isPending} fullWidth>
          Use a passkey
        </Button>
      )}
      <ProblemAlert error={byPasskey.error} />
      {(hasApp || isRecovering) && (
        <form onSubmit={send}>
          <Stack gap="sm">
            {isRecovering ? (
              <TextInput
                key="recovery"
                name="code"
                label="Recovery code"
                description="Each of them works once."
                autoComplete="off"
                spellCheck={false}
                required
                data-autofocus
              />
            ) : (
              <TextInput
                key="app"
                name="code"
                label="Code of your authenticator app"
                inputMode="numeric"
                autoComplete="one-time-code"
                maxLength={16}
                required
                autoFocus={!hasPasskey}
                data-autofocus
              />
            )}
            <ProblemAlert error={error} />
            <Button type="submit" loading={isPending} variant={hasPasskey ? 'default' : 'filled'} fullWidth>
              {submit}
            </Button>
          </Stack>
        </form>
      )}
      {methods.includes('recovery_code') && (hasApp || hasPasskey) && (
        <Anchor
          component="button"
          type="button"
          size="sm"
          onClick={() => {
            reset();
            setIsRecovering(!isRecovering);
          }}
        >
          {isRecovering ? 'Use another factor' : 'Use a recovery code'}
        </Anchor>
      )}
    </Stack>
  );
}
