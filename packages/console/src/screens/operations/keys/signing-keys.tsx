import { Alert, Badge, Button, Paper, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyId } from '../../../components/copy-id.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import { Screen } from '../../../components/screen.tsx';
import { When } from '../../../components/when.tsx';
import { type SigningKey, signingKeysQuery } from './queries.ts';
import { RevokeKey } from './revoke-key.tsx';
import { RotateKeys } from './rotate-keys.tsx';
import { minuteOf, stateNames, stateSentence } from './words.ts';

/** The keys that app tokens are signed and verified by. */
export function SigningKeys() {
  const keys = useQuery(signingKeysQuery);
  const [isRotating, setIsRotating] = useState(false);
  const [made, setMade] = useState<SigningKey>();
  const [revoked, setRevoked] = useState<SigningKey>();
  const items = keys.data?.items ?? [];
  const waiting = items.find(({ state }) => state === 'published');
  return (
    <Screen
      title="Signing keys"
      intro="The tokens of all apps of this platform are signed by one of these keys, and verified by all of them. The platform replaces a key that has grown old by itself."
      actions={
        <ReasonedButton
          reason={
            waiting === undefined
              ? undefined
              : `The next key waits already: it signs from ${minuteOf(waiting.signs_from)} on.`
          }
          onClick={() => setIsRotating(true)}
        >
          Rotate
        </ReasonedButton>
      }
    >
      {made !== undefined && (
        <Alert
          color="teal"
          role="status"
          title="The next key is published"
          withCloseButton
          closeButtonLabel="Close"
          onClose={() => setMade(undefined)}
        >
          The key {made.kid} signs from {minuteOf(made.signs_from)} on. Tokens of the present key stay valid.
        </Alert>
      )}
      <Loaded query={keys}>{(data) => <KeyTable keys={data.items} onRevoke={setRevoked} />}</Loaded>
      {isRotating && <RotateKeys onMade={setMade} onClose={() => setIsRotating(false)} />}
      {revoked !== undefined && <RevokeKey signingKey={revoked} keys={items} onClose={() => setRevoked(undefined)} />}
    </Screen>
  );
}

interface TableProps {
  readonly keys: readonly SigningKey[];
  readonly onRevoke: (key: SigningKey) => void;
}

function KeyTable({ keys, onRevoke }: TableProps) {
  return (
    <Paper withBorder style={{ overflowX: 'auto' }}>
      <Table aria-label="Signing keys" miw={720}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>State</Table.Th>
            <Table.Th>Key</Table.Th>
            <Table.Th>Made</Table.Th>
            <Table.Th />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => (
            <Table.Tr key={key.kid}>
              <Table.Td>
                <Stack gap={4} align="flex-start">
                  <Badge variant="dot" color={stateColors[key.state]} tt="none">
                    {stateNames[key.state]}
                  </Badge>
                  <Text size="sm">{stateSentence(key)}</Text>
                </Stack>
              </Table.Td>
              <Table.Td>
                <CopyId value={key.kid} what="key id" />
              </Table.Td>
              <Table.Td>
                <When at={key.created_at} />
              </Table.Td>
              <Table.Td ta="right">
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  aria-label={`Revoke the key ${key.kid}`}
                  onClick={() => onRevoke(key)}
                >
                  Revoke
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

const stateColors: Readonly<Record<SigningKey['state'], string>> = {
  published: 'cyan',
  signing: 'teal',
  retiring: 'gray',
};
