import type { Limits } from '@freehold/contract/plans';
import { Badge, Button, Group, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { When } from '../../../components/when.tsx';
import { keepingNames, keepingWords, limitWords, type Used, usedNames } from './limits.ts';
import classes from './orgs.module.css';
import type { StoredPlan } from './plan-draft.ts';
import { PlanForm } from './plan-form.tsx';
import { Share } from './share.tsx';

interface ShownPlan extends StoredPlan {
  readonly updated_at: string | null;
}

interface Props {
  readonly org: string;
  readonly plan: ShownPlan;
  readonly used: Used;
}

/** The plan of an org, and the form that sets another. */
export function PlanPanel({ org, plan, used }: Props) {
  const [isChanging, setIsChanging] = useState(false);
  const [isChanged, setIsChanged] = useState(false);
  const done = () => {
    setIsChanging(false);
    setIsChanged(true);
  };
  return (
    <Stack gap="sm" component="section" aria-label="Plan">
      <Group justify="space-between">
        <Group gap="xs">
          <Title order={2}>Plan</Title>
          <Badge variant="outline" color="gray" tt="none">
            {plan.name}
          </Badge>
        </Group>
        {!isChanging && <Button onClick={() => setIsChanging(true)}>Change the plan</Button>}
      </Group>
      <Text size="sm" c="dimmed">
        {plan.updated_at === null ? (
          'The org was given no plan yet, so nothing is limited.'
        ) : (
          <>
            Set <When at={plan.updated_at} />.
          </>
        )}
      </Text>
      {isChanged && (
        <Text size="sm" role="status">
          The plan is set. Caps hold at once; other limits hold at once on this node, and on other nodes about a second
          later.
        </Text>
      )}
      {isChanging ? (
        <PlanForm org={org} plan={plan} used={used} onDone={done} onCancel={() => setIsChanging(false)} />
      ) : (
        <LimitTable limits={plan.limits} used={used} />
      )}
      <Text size="sm" c="dimmed">
        What is used today counts in UTC and both environments together. Of entities and indexes it is the environment
        that has most of them, of policies the workspace that has most.
      </Text>
    </Stack>
  );
}

const numbers = new Intl.NumberFormat('en');

function LimitTable({ limits, used }: { readonly limits: Limits; readonly used: Used }) {
  return (
    <Paper withBorder style={{ overflowX: 'auto' }}>
      <Table aria-label="Limits of the plan">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>What</Table.Th>
            <Table.Th className={classes.number ?? ''}>Used</Table.Th>
            <Table.Th className={classes.number ?? ''}>Limit</Table.Th>
            <Table.Th />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {usedNames.map((name) => (
            <Table.Tr key={name}>
              <Table.Td>{limitWords[name].label}</Table.Td>
              <Table.Td className={classes.number ?? ''}>{numbers.format(used[name])}</Table.Td>
              <Table.Td className={classes.number ?? ''}>{figure(limits[name], 'unlimited')}</Table.Td>
              <Table.Td>
                <Share what={limitWords[name].label} used={used[name]} limit={limits[name]} />
              </Table.Td>
            </Table.Tr>
          ))}
          {keepingNames.map((name) => (
            <Table.Tr key={name}>
              <Table.Td>{keepingWords[name]}</Table.Td>
              <Table.Td />
              <Table.Td className={classes.number ?? ''}>{figure(limits[name], '7, the default')}</Table.Td>
              <Table.Td />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function figure(value: number | undefined, otherwise: string): string {
  return value === undefined ? otherwise : numbers.format(value);
}
