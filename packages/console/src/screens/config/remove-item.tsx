import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { keyOfKind } from '../../components/item-versions.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { type Kind, kinds } from './kinds.ts';
import type { Item } from './queries.ts';
import { RemovalProblem } from './removal-problem.tsx';

interface Props {
  readonly kind: Kind;
  readonly name: string;
  readonly item: Pick<Item, 'referencedBy' | 'tag'>;
  /** Leads to the list of the kind; left out, to that of the configuration. */
  readonly toList?: () => Promise<void>;
}

/** Removes an item that no other item refers to; a setting gets its default back. */
export function RemoveItem({ kind, name, item, toList }: Props) {
  const { org, env, readOnlyReason, adminReason } = usePlace();
  const navigate = useNavigate();
  const [isConfirming, setIsConfirming] = useState(false);
  /** The tag of what was shown when the removal was asked for. */
  const [seen, setSeen] = useState<string>();
  const isSetting = kind === 'settings';
  const remove = useMutation({
    mutationFn: (tag: string | undefined) =>
      call('removeConfigItem', { params: { kind, name }, headers: tag === undefined ? {} : { 'If-Match': tag } }),
    onSuccess: async () => {
      await (toList?.() ?? navigate({ to: '/o/$org/$env/config/$kind', params: { org, env, kind } }));
      await queryClient.invalidateQueries({ queryKey: [keyOfKind(kind)] });
    },
    onError: () => queryClient.invalidateQueries({ queryKey: [keyOfKind(kind)] }),
  });
  const ask = () => {
    remove.reset();
    setSeen(item.tag);
    setIsConfirming(true);
  };
  const [first] = item.referencedBy;
  const referred = first === undefined ? undefined : `The ${first.kind} ${first.name} refers to it.`;
  const reason = readOnlyReason ?? (isSetting ? adminReason : undefined) ?? referred;
  return (
    <>
      <ReasonedButton reason={reason} variant="default" color="red" onClick={ask}>
        {isSetting ? 'Reset to the default' : 'Remove'}
      </ReasonedButton>
      <Modal
        opened={isConfirming}
        onClose={() => setIsConfirming(false)}
        title={isSetting ? `Reset ${name} to its default?` : `Remove ${name}?`}
      >
        <Stack>
          <Text size="sm">
            {isSetting
              ? 'The default applies within a second. The value of today stays among the versions of the setting.'
              : `The ${kinds[kind].singular} is gone from test. Its versions are kept, and production keeps its own until a deploy takes it out there.`}
          </Text>
          <RemovalProblem error={remove.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setIsConfirming(false)}>
              Cancel
            </Button>
            <Button color="red" loading={remove.isPending} onClick={() => remove.mutate(seen)}>
              {isSetting ? 'Reset it' : `Remove the ${kinds[kind].singular}`}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
