import { Alert, Button, Group, Modal, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { passkeyReason } from '../../../api/passkeys.ts';
import { Loaded } from '../../../components/loaded.tsx';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import { When } from '../../../components/when.tsx';
import { type FactorAction, FactorDialog } from './factor-dialog.tsx';
import { type Factors, factorsChanged, factorsQuery, isProtected, type Passkey } from './queries.ts';
import { RecoveryCodes } from './recovery-codes.tsx';

/** The user's own second factors: what there is, and what can be added and removed. */
export function SecondFactorSection() {
  return (
    <Paper withBorder p="md" maw="46rem">
      <Title order={2} mb="sm">
        Second factors
      </Title>
      <OwnFactors />
    </Paper>
  );
}

function OwnFactors() {
  const factors = useQuery(factorsQuery);
  const [action, setAction] = useState<FactorAction>();
  const [codes, setCodes] = useState<readonly string[]>();
  const done = (made: readonly string[] | undefined) => {
    setAction(undefined);
    setCodes(made);
    void factorsChanged();
  };
  return (
    <Loaded query={factors}>
      {(held) => (
        <>
          <Stack gap="md">
            <Summary factors={held} />
            <App factors={held} act={setAction} />
            <Passkeys factors={held} act={setAction} />
            {isProtected(held) && <Recovery left={held.recovery_codes} act={setAction} />}
          </Stack>
          {action !== undefined && (
            <FactorDialog action={action} factors={held} onDone={done} onClose={() => setAction(undefined)} />
          )}
          <Modal
            opened={codes !== undefined}
            onClose={() => undefined}
            withCloseButton={false}
            title="Your recovery codes"
          >
            <RecoveryCodes codes={codes ?? []} onKept={() => setCodes(undefined)} />
          </Modal>
        </>
      )}
    </Loaded>
  );
}

function Summary({ factors }: { readonly factors: Factors }) {
  if (isProtected(factors))
    return (
      <Text size="sm" c="dimmed">
        A sign-in with your password asks for one of these too. A passkey signs you in alone.
      </Text>
    );
  return (
    <Alert color="yellow" role="note" title="Your password alone protects this account">
      With a second factor, a stolen password opens nothing. Add an authenticator app or a passkey.
    </Alert>
  );
}

interface PartProps {
  readonly factors: Factors;
  readonly act: (action: FactorAction) => void;
}

function App({ factors: { totp }, act }: PartProps) {
  return (
    <Group justify="space-between" align="flex-start">
      <div>
        <Text fw={500}>Authenticator app</Text>
        <Text size="sm" c="dimmed">
          {totp === null ? (
            'Shows a code of six digits that changes every 30 seconds.'
          ) : (
            <>
              On, since <When at={totp.confirmed_at} />
            </>
          )}
        </Text>
      </div>
      <Group gap="xs">
        <Button size="compact-sm" variant="default" onClick={() => act({ kind: 'add app' })}>
          {totp === null ? 'Add an app' : 'Move to another phone'}
        </Button>
        {totp !== null && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => act({ kind: 'remove', id: 'totp', name: 'your authenticator app' })}
          >
            Remove the app
          </Button>
        )}
      </Group>
    </Group>
  );
}

function Passkeys({ factors: { passkeys }, act }: PartProps) {
  return (
    <Stack gap="xs">
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <div>
          <Text fw={500}>Passkeys</Text>
          <Text size="sm" c="dimmed">
            A key of this device, of your phone, or of a security key. No page that looks like this one can use it.
          </Text>
        </div>
        <ReasonedButton
          size="compact-sm"
          variant="default"
          style={{ flexShrink: 0 }}
          reason={passkeyReason()}
          onClick={() => act({ kind: 'add passkey' })}
        >
          Add a passkey
        </ReasonedButton>
      </Group>
      {passkeys.length > 0 && (
        <Table.ScrollContainer type="native" minWidth={420}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th>Added</Table.Th>
                <Table.Th>Last used</Table.Th>
                <Table.Th />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {passkeys.map((passkey) => (
                <PasskeyRow key={passkey.id} passkey={passkey} act={act} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Stack>
  );
}

function PasskeyRow({ passkey, act }: { readonly passkey: Passkey } & Pick<PartProps, 'act'>) {
  const { id, name, created_at, last_used_at } = passkey;
  return (
    <Table.Tr>
      <Table.Td>{name}</Table.Td>
      <Table.Td>
        <When at={created_at} />
      </Table.Td>
      <Table.Td>{last_used_at === undefined ? 'never' : <When at={last_used_at} />}</Table.Td>
      <Table.Td ta="right">
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Rename ${name}`}
            onClick={() => act({ kind: 'rename', id, name })}
          >
            Rename
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Remove ${name}`}
            onClick={() => act({ kind: 'remove', id, name: `the passkey ${name}` })}
          >
            Remove
          </Button>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

function Recovery({ left, act }: { readonly left: number } & Pick<PartProps, 'act'>) {
  return (
    <Group justify="space-between" align="flex-start">
      <div>
        <Text fw={500}>Recovery codes</Text>
        <Text size="sm" {...(left < 3 ? { c: 'red' } : { c: 'dimmed' })}>
          {left} of 10 are left. Each signs you in once, in place of a second factor.
        </Text>
      </div>
      <Button size="compact-sm" variant="default" onClick={() => act({ kind: 'renew codes' })}>
        Make new codes
      </Button>
    </Group>
  );
}
