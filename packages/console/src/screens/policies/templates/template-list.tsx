import { Anchor, Paper, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../../api/session.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import classes from '../policies.module.css';
import { templatesQuery } from './templates.ts';
import type { Templates } from './with-template.ts';

/** The policies that workspaces are founded with beside those of the platform. */
export function TemplateList() {
  const { env } = usePlace();
  const templates = useQuery(templatesQuery(env));
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        Workspaces that are founded from now on get a copy of each. Those that exist keep the policies that they have.
        In test a change counts at once; a deploy brings it to production.
      </Text>
      <Loaded query={templates}>
        {({ templates: { policies, groups } }) =>
          policies.length === 0 ? (
            <EmptyState title="No templates yet">
              New workspaces begin with the policies of the platform alone: `adminacl` and `vieweracl`.
            </EmptyState>
          ) : (
            <TemplateTable policies={policies} groups={groups} />
          )
        }
      </Loaded>
    </Stack>
  );
}

function TemplateTable({ policies, groups }: Templates) {
  const { org, env } = usePlace();
  return (
    <Paper withBorder className={classes.scroll}>
      <Table highlightOnHover aria-label="Templates">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th className={classes.number}>Statements</Table.Th>
            <Table.Th>Groups that new workspaces get with it</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {policies.map(({ name, statements }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Anchor component={Link} to={`/o/${org}/${env}/policy-template`} search={{ name } as never} fw={500}>
                  {name}
                </Anchor>
              </Table.Td>
              <Table.Td className={classes.number}>{statements.length}</Table.Td>
              <Table.Td>
                {groups
                  .filter(({ acl_policies }) => acl_policies.includes(name))
                  .map((group) => group.name)
                  .join(', ')}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
