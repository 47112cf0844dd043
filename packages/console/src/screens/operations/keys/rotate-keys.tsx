import { Button, Group, List, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Dialog } from '../../../components/dialog.tsx';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { operate } from '../operate.ts';
import { type SigningKey, signingKeysQuery } from './queries.ts';

interface Props {
  readonly onMade: (key: SigningKey) => void;
  readonly onClose: () => void;
}

/** Says what a rotation does and when, before it is done. */
export function RotateKeys({ onMade, onClose }: Props) {
  const client = useQueryClient();
  const rotate = useMutation({
    mutationFn: () => operate('rotateSigningKeys'),
    onSuccess: async (key) => {
      await client.invalidateQueries(signingKeysQuery);
      onMade(key);
      onClose();
    },
  });
  return (
    <Dialog onClose={onClose} title="Rotate the signing keys">
      <Stack>
        <List size="sm" spacing="xs">
          <List.Item>Now: a new key is made and published, so that services that verify tokens learn it.</List.Item>
          <List.Item>In 10 minutes: it signs every new token in place of the present key.</List.Item>
          <List.Item>
            Until 48 hours and 10 minutes after that: tokens of the present key are accepted. Then the platform deletes
            that key.
          </List.Item>
        </List>
        <ProblemAlert error={rotate.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={rotate.isPending} onClick={() => rotate.mutate()} data-autofocus>
            Publish a new key
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
