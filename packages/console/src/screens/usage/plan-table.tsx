import { Button, Paper, Progress, Table, Text } from '@mantine/core';
import { planFigures } from './plan-figures.ts';
import type { ExplainedFigure, Usage } from './queries.ts';
import classes from './usage.module.css';

const numbers = new Intl.NumberFormat('en');

interface Props {
  readonly usage: Usage;
  readonly onExplain: (figure: ExplainedFigure) => void;
}

/** Each number that the plan limits: how much is used, of what, and what becomes of it. */
export function PlanTable({ usage, onExplain }: Props) {
  return (
    <Paper withBorder style={{ overflowX: 'auto' }}>
      <Table aria-label="Plan" miw={680}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>What</Table.Th>
            <Table.Th className={classes.number ?? ''}>Used</Table.Th>
            <Table.Th className={classes.number ?? ''}>Limit</Table.Th>
            <Table.Th className={classes.bar ?? ''} />
            <Table.Th>Outlook</Table.Th>
            <Table.Th />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {planFigures(usage).map(({ name, used, limit, outlook, explained }) => (
            <Table.Tr key={name}>
              <Table.Td>{name}</Table.Td>
              <Table.Td className={classes.number ?? ''}>{numbers.format(used)}</Table.Td>
              <Table.Td className={classes.number ?? ''}>
                {limit === undefined ? 'none' : numbers.format(limit)}
              </Table.Td>
              <Table.Td>{limit !== undefined && <Share name={name} used={used} limit={limit} />}</Table.Td>
              <Table.Td>
                <Text size="sm">{outlook}</Text>
              </Table.Td>
              <Table.Td ta="right">
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Explain ${name}`}
                  onClick={() => onExplain(explained)}
                >
                  Explain
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function Share({ name, used, limit }: { readonly name: string; readonly used: number; readonly limit: number }) {
  const percent = limit === 0 ? 100 : Math.min(100, (used / limit) * 100);
  return (
    <Progress
      value={percent}
      color={percent >= 95 ? 'red' : percent >= 80 ? 'yellow' : 'cyan'}
      size="sm"
      aria-label={`${name}: ${Math.round(percent)} % of the limit`}
    />
  );
}
