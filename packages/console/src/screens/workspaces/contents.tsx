import { Anchor, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePlace } from '../../api/session.ts';
import { Loaded } from '../../components/loaded.tsx';
import policies from '../policies/policies.module.css';
import classes from '../who-can/who-can.module.css';
import { figure, usageQuery, type Workspace } from './queries.ts';

/** The records of a workspace by entity, and what it uses of the plan. */
export function Contents({ workspace }: { readonly workspace: Workspace }) {
  return (
    <Stack gap="xl">
      <PlanFigures workspace={workspace} />
      <Records workspace={workspace} />
    </Stack>
  );
}

function PlanFigures({
  workspace: { code, members, records, default_member_access },
}: {
  readonly workspace: Workspace;
}) {
  const { env } = usePlace();
  const usage = useQuery(usageQuery);
  const isOfThis = (row: { readonly env: string; readonly tenant_code: string | null }): boolean =>
    row.env === env && row.tenant_code === code;
  return (
    <Stack gap="xs" component="section" aria-label="Usage">
      <Title order={2}>Usage</Title>
      <Loaded query={usage}>
        {({ plan, usage: { by_workspace }, caps }) => {
          const calls = by_workspace.find(isOfThis)?.api_calls;
          const policiesUsed = caps.policies.workspaces.find(isOfThis)?.used;
          return (
            <div className={classes.facts}>
              <Fact name="Members">{figure(members)}</Fact>
              <Fact name="Records">{ofLimit(records, plan.limits.records)}</Fact>
              <Fact name="Calls today">{ofLimit(calls?.today ?? 0, plan.limits.api_calls_per_day)}</Fact>
              <Fact name="Calls this month">{ofLimit(calls?.month ?? 0, plan.limits.api_calls_per_month)}</Fact>
              {policiesUsed !== undefined && (
                <Fact name="Policies">
                  {caps.policies.limit === null
                    ? figure(policiesUsed)
                    : `${figure(policiesUsed)} of ${figure(caps.policies.limit)}`}
                </Fact>
              )}
              <Fact name="Policy of new members">{default_member_access ?? 'none'}</Fact>
            </div>
          );
        }}
      </Loaded>
      <Text size="sm" c="dimmed">
        Records and calls count towards the plan of the whole org. Its limits, if it has any, are in brackets.
      </Text>
    </Stack>
  );
}

/** A figure of the workspace, with the limit that all workspaces share. */
function ofLimit(used: number, limit: number | undefined): string {
  return limit === undefined ? figure(used) : `${figure(used)} (${figure(limit)})`;
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text size="sm">{children}</Text>
    </div>
  );
}

function Records({ workspace: { code, by_entity } }: { readonly workspace: Workspace }) {
  const { org, env } = usePlace();
  const entities = Object.entries(by_entity).sort(([a], [b]) => (a < b ? -1 : 1));
  return (
    <Stack gap="xs" component="section" aria-label="Records by entity">
      <Title order={2}>Records by entity</Title>
      {entities.length === 0 ? (
        <Text size="sm" c="dimmed">
          The workspace has no records yet.
        </Text>
      ) : (
        <div className={policies.scroll}>
          <Table aria-label="Records by entity" maw={480}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Entity</Table.Th>
                <Table.Th className={policies.number}>Records</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {entities.map(([entity, records]) => (
                <Table.Tr key={entity}>
                  <Table.Td>
                    <Anchor
                      component={Link}
                      to={`/o/${org}/${env}/records/${entity}`}
                      search={{ w: code } as never}
                      size="sm"
                    >
                      {entity}
                    </Anchor>
                  </Table.Td>
                  <Table.Td className={policies.number}>{figure(records)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </Stack>
  );
}
