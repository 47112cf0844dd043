import { Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../../components/loaded.tsx';
import { WhyDrawer } from '../simulator/why-drawer.tsx';
import { type CapFigure, capFigures, type ExplainedFigure, type SummedFigure } from './figures.ts';
import { type Explained, explainQuery, type Usage } from './queries.ts';
import classes from './usage.module.css';

const numbers = new Intl.NumberFormat('en');

const words: Readonly<Record<ExplainedFigure, { readonly title: string; readonly about: string }>> = {
  'api_calls.today': {
    title: 'Calls today',
    about: 'Each row has the calls of one workspace in one environment today, by UTC.',
  },
  'api_calls.month': {
    title: 'Calls this month',
    about: 'Each row has the calls of one workspace in one environment on one day, by UTC.',
  },
  'records.total': {
    title: 'Records',
    about: 'Each row has the records of one entity in one workspace. Users, policies and groups do not count.',
  },
  'runs.today': { title: 'Runs today', about: 'Runs are counted for each environment, when they begin.' },
  'deliveries.today': {
    title: 'Deliveries today',
    about: 'Attempts are counted for each environment, repeated ones too.',
  },
  'script_ms.today': {
    title: 'Milliseconds of scripts today',
    about: 'The processor time of scripts is counted for each environment.',
  },
  'mails.today': { title: 'Mails today', about: 'Mails of logic blocks are counted for each environment.' },
  entities: {
    title: 'Entities',
    about: 'The entities of each environment are counted by themselves. The plan limits both.',
  },
  indexes: {
    title: 'Indexes',
    about: 'The indexes of all entities of an environment are counted together. The plan limits each environment.',
  },
  policies: {
    title: 'Policies of a workspace',
    about: 'Policies are counted for each workspace. The plan limits each of them; these have most.',
  },
};

interface Props {
  /** Undefined while nothing is explained. */
  readonly figure: ExplainedFigure | undefined;
  readonly caps: Usage['caps'] | undefined;
  readonly onClose: () => void;
}

/** The rows that a figure is summed from. */
export function ExplainFigure({ figure, caps, onClose }: Props) {
  return (
    <WhyDrawer
      title={figure === undefined ? '' : `What counts as ${words[figure].title.toLowerCase()}`}
      isOpen={figure !== undefined}
      onClose={onClose}
    >
      {figure !== undefined && (
        <Stack gap="sm">
          <Text size="sm">{words[figure].about}</Text>
          {isCap(figure) ? caps && <CapTable figure={figure} caps={caps} /> : <Parts key={figure} figure={figure} />}
        </Stack>
      )}
    </WhyDrawer>
  );
}

function isCap(figure: ExplainedFigure): figure is CapFigure {
  return capFigures.some((one) => one === figure);
}

function Parts({ figure }: { readonly figure: SummedFigure }) {
  const explained = useQuery(explainQuery(figure));
  return <Loaded query={explained}>{(data) => (data === undefined ? null : <PartTable explained={data} />)}</Loaded>;
}

/** The amounts that are counted by itself, so that nothing is summed. */
function CapTable({ figure, caps }: { readonly figure: CapFigure; readonly caps: Usage['caps'] }) {
  const { test, prod } = caps[figure];
  const environments = [
    { env: 'test', tenant_code: undefined, used: test },
    ...(prod === null ? [] : [{ env: 'prod', tenant_code: undefined, used: prod }]),
  ];
  const rows = figure === 'policies' ? caps.policies.workspaces : environments;
  return (
    <Table aria-label="Rows">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Environment</Table.Th>
          {figure === 'policies' && <Table.Th>Workspace</Table.Th>}
          <Table.Th className={classes.number ?? ''}>Number</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(({ env, tenant_code, used }) => (
          <tr key={`${env} ${tenant_code}`}>
            <td className={Table.classes.td}>{env === 'prod' ? 'production' : 'test'}</td>
            {figure === 'policies' && <td className={Table.classes.td}>{tenant_code}</td>}
            <td className={`${Table.classes.td} ${classes.number}`}>{numbers.format(used)}</td>
          </tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function PartTable({ explained: { value, parts, others } }: { readonly explained: Explained }) {
  const sorted = parts.toSorted((left, right) => right.value - left.value);
  const [hasDates, hasEntities] = [parts.some(({ date }) => date !== undefined), parts.some(({ entity }) => entity)];
  const hasWorkspaces = parts.some(({ tenant_code }) => tenant_code !== null);
  const columns = 1 + Number(hasDates) + Number(hasWorkspaces) + Number(hasEntities);
  return (
    <Table aria-label="Rows">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Environment</Table.Th>
          {hasDates && <Table.Th>Day</Table.Th>}
          {hasWorkspaces && <Table.Th>Workspace</Table.Th>}
          {hasEntities && <Table.Th>Entity</Table.Th>}
          <Table.Th className={classes.number ?? ''}>Number</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {sorted.map(({ env, date, tenant_code, entity, value: part }) => (
          <tr key={`${env} ${date} ${tenant_code} ${entity}`}>
            <td className={Table.classes.td}>{env === 'prod' ? 'production' : 'test'}</td>
            {hasDates && <td className={Table.classes.td}>{date}</td>}
            {hasWorkspaces && <td className={Table.classes.td}>{tenant_code ?? 'none, such as signing in'}</td>}
            {hasEntities && <td className={Table.classes.td}>{entity}</td>}
            <td className={`${Table.classes.td} ${classes.number}`}>{numbers.format(part)}</td>
          </tr>
        ))}
        {others.count > 0 && (
          <tr>
            <td className={Table.classes.td} colSpan={columns}>
              {numbers.format(others.count)} smaller rows
            </td>
            <td className={`${Table.classes.td} ${classes.number}`}>{numbers.format(others.value)}</td>
          </tr>
        )}
      </Table.Tbody>
      <Table.Tfoot>
        <Table.Tr>
          <Table.Th colSpan={columns}>Sum</Table.Th>
          <Table.Th className={classes.number ?? ''}>{numbers.format(value)}</Table.Th>
        </Table.Tr>
      </Table.Tfoot>
    </Table>
  );
}
