import { Anchor, Group, Paper, Select, Stack, Table, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import classes from '../policies/policies.module.css';
import { type GroupDetails, policiesQuery } from '../policies/queries.ts';
import { useReadOnlyReason } from '../policies/use-builder.ts';
import { useSaveGroup } from './save-group.ts';

interface Props {
  readonly group: GroupDetails;
  readonly workspace: string;
}

/** The policies that the members of a group hold by it. */
export function GroupPolicies({ group, workspace }: Props) {
  const { org, env } = usePlace();
  const readOnlyReason = useReadOnlyReason();
  const save = useSaveGroup(group);
  const ids = group.policies.map(({ id }) => id);
  return (
    <Stack gap="xs" component="section" aria-label="Policies">
      <Title order={2}>Policies</Title>
      {readOnlyReason === undefined && (
        <PolicyPicker
          workspace={workspace}
          held={ids}
          isAdding={save.isPending}
          onAdd={(id) => save.mutateAsync({ acl_policies: [...ids, id] })}
        />
      )}
      <ProblemAlert error={save.error} />
      {group.policies.length === 0 ? (
        <Text size="sm" c="dimmed">
          The group holds no policies, so it gives its members nothing.
        </Text>
      ) : (
        <Paper withBorder className={classes.scroll}>
          <Table aria-label="Policies of the group">
            <Table.Tbody>
              {group.policies.map(({ id, name }) => (
                <Table.Tr key={id}>
                  <Table.Td>
                    <Anchor component={Link} to={`/o/${org}/${env}/policies/${id}`}>
                      {name}
                    </Anchor>
                  </Table.Td>
                  <Table.Td className={classes.number}>
                    <ReasonedButton
                      reason={readOnlyReason}
                      variant="subtle"
                      color="red"
                      size="compact-sm"
                      aria-label={`Take away ${name} from the group`}
                      loading={save.isPending}
                      onClick={() => save.mutate({ acl_policies: ids.filter((one) => one !== id) })}
                    >
                      Take away
                    </ReasonedButton>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Paper>
      )}
    </Stack>
  );
}

interface PickerProps {
  readonly workspace: string;
  readonly held: readonly string[];
  readonly isAdding: boolean;
  readonly onAdd: (id: string) => Promise<unknown>;
}

const typingMilliseconds = 250;

function PolicyPicker({ workspace, held, isAdding, onAdd }: PickerProps) {
  const { env } = usePlace();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const [search] = useDebouncedValue(typed.trim(), typingMilliseconds);
  const found = useInfiniteQuery(policiesQuery({ env, workspace }, search));
  const offered = (found.data?.pages.flatMap(({ items }) => items) ?? []).filter(({ id }) => !held.includes(id));
  return (
    <div>
      <Group gap="xs" align="flex-end">
        <Select
          label="Add a policy"
          placeholder="Name of a policy"
          data={offered.map(({ id, name }) => ({ value: id, label: name }))}
          value={chosen}
          searchable
          clearable
          searchValue={typed}
          onSearchChange={setTyped}
          // The server has searched already.
          filter={({ options }) => options}
          nothingFoundMessage={found.isFetching ? 'Searching' : 'No other policy has this name'}
          onChange={setChosen}
          maw={360}
        />
        <ReasonedButton
          reason={chosen === null ? 'Choose a policy first.' : undefined}
          loading={isAdding}
          onClick={() => {
            if (chosen === null) return;
            void onAdd(chosen).then(
              () => setChosen(null),
              () => undefined,
            );
          }}
        >
          Add
        </ReasonedButton>
      </Group>
      <ProblemAlert error={found.error} />
    </div>
  );
}
