import { Anchor, Badge, Button, Group, Modal, Paper, Stack, Table, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { callApp } from '../../api/app.ts';
import { ApiProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { usePlace } from '../../api/session.ts';
import { ChooseWorkspace } from '../../components/choose-workspace.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { Screen } from '../../components/screen.tsx';
import { SearchedList, useSearched } from '../../components/searched-list.tsx';
import classes from '../policies/policies.module.css';
import { accessKey, countOf, groupsQuery } from '../policies/queries.ts';
import { useBuilder, useReadOnlyReason } from '../policies/use-builder.ts';

/** The groups of the chosen workspace. */
export function Groups() {
  const { workspace } = usePlace();
  const readOnlyReason = useReadOnlyReason();
  const [isMaking, setIsMaking] = useState(false);
  return (
    <Screen
      title="Groups"
      intro="Members who hold the same policies. A member of a group holds each policy of the group."
      actions={
        <ReasonedButton
          reason={readOnlyReason ?? (workspace === undefined ? 'Choose a workspace first.' : undefined)}
          onClick={() => setIsMaking(true)}
        >
          New group
        </ReasonedButton>
      }
    >
      {workspace === undefined ? (
        <ChooseWorkspace>Each workspace has groups of its own.</ChooseWorkspace>
      ) : (
        <GroupList workspace={workspace} />
      )}
      <Modal opened={isMaking} onClose={() => setIsMaking(false)} title="New group">
        {isMaking && <NewGroup close={() => setIsMaking(false)} />}
      </Modal>
    </Screen>
  );
}

function NewGroup({ close }: { readonly close: () => void }) {
  const { org, env } = usePlace();
  const actor = useBuilder();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const make = useMutation({
    mutationFn: async () => {
      if (actor === undefined) return undefined;
      const { body } = await callApp(actor, 'POST', '/create/group', { body: { name, acl_policies: [] } });
      return (body as { readonly id: string }).id;
    },
    onSuccess: async (id) => {
      await queryClient.invalidateQueries({ queryKey: [accessKey] });
      if (id !== undefined) await navigate({ to: '/o/$org/$env/groups/$group', params: { org, env, group: id } });
    },
  });
  const problem = make.error instanceof ApiProblem ? make.error : undefined;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate();
      }}
    >
      <Stack>
        <TextInput
          label="Name"
          value={name}
          error={problem?.errorAt('/name')}
          required
          data-autofocus
          onChange={({ currentTarget: { value } }) => setName(value)}
        />
        <ProblemAlert error={make.error} shownAtFields={['/name']} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <ReasonedButton
            reason={name.trim() === '' ? 'The group needs a name.' : undefined}
            type="submit"
            loading={make.isPending}
          >
            Create the group
          </ReasonedButton>
        </Group>
      </Stack>
    </form>
  );
}

function GroupList({ workspace }: { readonly workspace: string }) {
  const { env } = usePlace();
  const searched = useSearched();
  return (
    <SearchedList
      what="groups"
      by="name"
      searched={searched}
      pages={useInfiniteQuery(groupsQuery({ env, workspace }, searched.settled))}
      none={{
        title: 'No groups yet',
        text: 'A group gives the same policies to several members, such as all agents of a help desk.',
      }}
      notFound="No group has this name"
    >
      {(items) => <GroupTable items={items} />}
    </SearchedList>
  );
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly members: number;
  readonly policies: number;
  readonly policy_names: readonly string[];
  readonly is_of_platform: boolean;
}

function GroupTable({ items }: { readonly items: readonly Row[] }) {
  const { org, env } = usePlace();
  return (
    <Paper withBorder className={classes.scroll}>
      <Table highlightOnHover aria-label="Groups">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th className={classes.number}>Members</Table.Th>
            <Table.Th>Policies</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map(({ id, name, members, policies, policy_names, is_of_platform }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <Group gap="xs">
                  <Anchor component={Link} to={`/o/${org}/${env}/groups/${id}`} fw={500}>
                    {name}
                  </Anchor>
                  {is_of_platform && <Badge variant="dot">by the platform</Badge>}
                </Group>
              </Table.Td>
              <Table.Td className={classes.number}>{countOf(members)}</Table.Td>
              <Table.Td>
                {policies === 0 ? 'none' : policy_names.join(', ')}
                {policies > policy_names.length ? ` and ${policies - policy_names.length} more` : ''}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
