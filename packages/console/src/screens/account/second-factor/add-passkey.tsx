import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../../api/call.ts';
import { makePasskey } from '../../../api/passkeys.ts';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { ProofForm } from './proof-form.tsx';
import type { Factors } from './queries.ts';

interface Props {
  readonly factors: Factors;
  /** Gets recovery codes with the first factor. */
  readonly onAdded: (codes: readonly string[] | undefined) => void;
}

type Options = Parameters<typeof makePasskey>[0];

/** Adds a passkey: a proof, a name, and what the browser makes. */
export function AddPasskey({ factors, onAdded }: Props) {
  const [options, setOptions] = useState<Options>();
  if (options !== undefined) return <MakePasskey options={options} onAdded={onAdded} />;
  return (
    <ProofForm
      factors={factors}
      submit="Go on"
      onProof={async (proof) => setOptions(await call('beginPasskey', { body: proof }))}
    />
  );
}

function MakePasskey({ options, onAdded }: { readonly options: Options } & Pick<Props, 'onAdded'>) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (name: string) => call('addPasskey', { body: { name, passkey: await makePasskey(options) } }),
    onSuccess: ({ recovery_codes }) => onAdded(recovery_codes),
  });
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    event.stopPropagation();
    mutate(String(new FormData(event.currentTarget).get('name') ?? ''));
  };
  return (
    <form onSubmit={send}>
      <Stack gap="sm">
        <Text size="sm">
          Your browser asks you to unlock this device, or to use a security key. The passkey then signs you in, also
          without your password.
        </Text>
        <TextInput
          name="name"
          label="Name of the passkey"
          description="By which you know it again, such as the name of the device."
          maxLength={128}
          required
          data-autofocus
        />
        <ProblemAlert error={error} />
        <Group justify="flex-end">
          <Button type="submit" loading={isPending}>
            Make the passkey
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
