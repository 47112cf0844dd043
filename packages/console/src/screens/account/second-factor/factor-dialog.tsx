import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { call } from '../../../api/call.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { AddApp } from './add-app.tsx';
import { AddPasskey } from './add-passkey.tsx';
import { ProofForm } from './proof-form.tsx';
import type { Factors } from './queries.ts';

/** What the user is about to do with the second factors. */
export type FactorAction =
  | { readonly kind: 'add app' | 'add passkey' | 'renew codes' }
  | { readonly kind: 'remove' | 'rename'; readonly id: string; readonly name: string };

interface Props {
  readonly action: FactorAction;
  readonly factors: Factors;
  /** Gets recovery codes, where some were made. */
  readonly onDone: (codes: readonly string[] | undefined) => void;
  readonly onClose: () => void;
}

const titles = {
  'add app': 'Add an authenticator app',
  'add passkey': 'Add a passkey',
  'renew codes': 'Make new recovery codes',
  remove: 'Remove a second factor',
  rename: 'Rename a passkey',
} as const;

export function FactorDialog({ action, factors, onDone, onClose }: Props) {
  return (
    <Dialog onClose={onClose} title={titles[action.kind]}>
      {action.kind === 'add app' && <AddApp factors={factors} onAdded={onDone} />}
      {action.kind === 'add passkey' && <AddPasskey factors={factors} onAdded={onDone} />}
      {action.kind === 'renew codes' && <RenewCodes factors={factors} onDone={onDone} />}
      {action.kind === 'remove' && <Remove {...action} factors={factors} onDone={onDone} />}
      {action.kind === 'rename' && <Rename {...action} onDone={onDone} />}
    </Dialog>
  );
}

type DoneProps = Pick<Props, 'factors' | 'onDone'>;

function RenewCodes({ factors, onDone }: DoneProps) {
  return (
    <Stack gap="sm">
      <Text size="sm">Ten codes are made. The former ones work no more.</Text>
      <ProofForm
        factors={factors}
        submit="Make new codes"
        onProof={async (proof) => onDone((await call('renewRecoveryCodes', { body: proof })).recovery_codes)}
      />
    </Stack>
  );
}

interface Named {
  readonly id: string;
  readonly name: string;
}

function Remove({ id, name, factors, onDone }: DoneProps & Named) {
  const isLast = Number(factors.totp !== null) + factors.passkeys.length === 1;
  return (
    <Stack gap="sm">
      <Text size="sm">
        {isLast
          ? `This removes ${name}. It is your last second factor: your password alone then signs you in, and your recovery codes end. In an org that requires a second factor you can do nothing until you add one.`
          : `This removes ${name}. It signs you in no more.`}
      </Text>
      <ProofForm
        factors={factors}
        submit="Remove it"
        onProof={async (proof) => {
          await call('removeSecondFactor', { params: { id }, body: proof });
          onDone(undefined);
        }}
      />
    </Stack>
  );
}

function Rename({ id, name, onDone }: Named & Pick<Props, 'onDone'>) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: (typed: string) => call('renamePasskey', { params: { id }, body: { name: typed } }),
    onSuccess: () => onDone(undefined),
  });
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    event.stopPropagation();
    mutate(String(new FormData(event.currentTarget).get('name') ?? ''));
  };
  return (
    <form onSubmit={send}>
      <Stack gap="sm">
        <TextInput
          name="name"
          label="Name of the passkey"
          defaultValue={name}
          maxLength={128}
          required
          data-autofocus
        />
        <ProblemAlert error={error} />
        <Group justify="flex-end">
          <Button type="submit" loading={isPending}>
            Rename
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
