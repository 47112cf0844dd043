import { Button, Center, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../../api/call.ts';
import { CopyId } from '../../../components/copy-id.tsx';
import { lazyPart } from '../../../components/lazy.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { ProofForm } from './proof-form.tsx';
import type { Factors } from './queries.ts';

const QrCode = lazyPart(
  async () => (await import('./qr-code.tsx')).QrCode,
  <div style={{ height: 196, width: 196 }} />,
);

interface Props {
  readonly factors: Factors;
  /** Gets recovery codes with the first factor. */
  readonly onAdded: (codes: readonly string[] | undefined) => void;
}

interface Secret {
  readonly secret: string;
  readonly uri: string;
}

/** Adds an authenticator app: a proof, the secret, and a code that shows that the app has it. */
export function AddApp({ factors, onAdded }: Props) {
  const [made, setMade] = useState<Secret>();
  if (made !== undefined) return <ConfirmApp made={made} onAdded={onAdded} />;
  return (
    <ProofForm
      factors={factors}
      submit="Show the secret"
      onProof={async (proof) => setMade(await call('beginTotp', { body: proof }))}
    />
  );
}

function ConfirmApp({ made: { secret, uri }, onAdded }: { readonly made: Secret } & Pick<Props, 'onAdded'>) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: (code: string) => call('confirmTotp', { body: { code } }),
    onSuccess: ({ recovery_codes }) => onAdded(recovery_codes),
  });
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    event.stopPropagation();
    mutate(String(new FormData(event.currentTarget).get('code') ?? ''));
  };
  return (
    <form onSubmit={send}>
      <Stack gap="sm">
        <Text size="sm">Scan this with your authenticator app, or type the secret. It is shown this once.</Text>
        <Center>
          <QrCode text={uri} />
        </Center>
        <CopyId value={secret} what="secret" />
        <TextInput
          name="code"
          label="Code that the app shows"
          description="Your account is protected once the code is confirmed."
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={16}
          required
          data-autofocus
        />
        <ProblemAlert error={error} />
        <Group justify="flex-end">
          <Button type="submit" loading={isPending}>
            Confirm
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
