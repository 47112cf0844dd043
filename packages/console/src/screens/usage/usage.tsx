import { Alert, Anchor, Grid, Group, NativeSelect, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Loaded } from '../../components/loaded.tsx';
import { Screen } from '../../components/screen.tsx';
import { DayChart } from './day-chart.tsx';
import { ExplainFigure } from './explain-figure.tsx';
import { ExportUsage } from './export-usage.tsx';
import { PlanTable } from './plan-table.tsx';
import { type Usage, usageQuery } from './queries.ts';
import { type Ranked, Ranking } from './ranking.tsx';
import { dayChoices, type UsageSearch } from './usage-search.ts';

const daysDefault = 31;
const rowsShown = 50;

/** What the org uses of its plan, where, and until when that goes well. */
export function UsageScreen() {
  const { days = daysDefault, of, explain } = useSearch({ from: '/o/$org/$env/usage' });
  const navigate = useNavigate();
  const show = (changed: UsageSearch) =>
    void navigate({ to: '.', search: (kept: object) => ({ ...kept, ...changed }) as never, replace: true });
  const usage = useQuery(usageQuery(days));
  return (
    <Screen title="Usage and plan" intro={usage.data && <Plan plan={usage.data.plan} />}>
      <Loaded query={usage} skeleton={<Skeleton height={420} radius="md" />}>
        {(data) => (
          <Stack gap="lg">
            {data.alerts.map(({ message, level }) => (
              <Alert key={message} color={level === 'critical' ? 'red' : 'yellow'} title={message} />
            ))}
            <PlanTable usage={data} onExplain={(figure) => show({ explain: figure })} />
            <Charts usage={data} days={days} of={of} onShow={show} />
            <Grid gap="lg">
              <Grid.Col span={{ base: 12, md: 5 }}>
                <ByEntity usage={data} of={of} />
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 7 }}>
                <ByWorkspace usage={data} of={of} />
              </Grid.Col>
            </Grid>
            <ExportUsage />
          </Stack>
        )}
      </Loaded>
      <ExplainFigure figure={explain} caps={usage.data?.caps} onClose={() => show({ explain: undefined })} />
    </Screen>
  );
}

function Plan({ plan: { name, upgrade_url } }: Pick<Usage, 'plan'>) {
  return (
    <>
      The org is on the plan {name}. Calls and records of test and production count together.{' '}
      {upgrade_url.startsWith('https:') && (
        <Anchor href={upgrade_url} target="_blank" rel="noopener noreferrer" inherit>
          What to do about a limit
        </Anchor>
      )}
    </>
  );
}

interface ChartsProps {
  readonly usage: Usage;
  readonly days: number;
  readonly of: UsageSearch['of'];
  readonly onShow: (changed: UsageSearch) => void;
}

function Charts({ usage, days, of, onShow }: ChartsProps) {
  const { by_day } = (of === undefined ? usage.usage : (usage.environments[of] ?? noUsage)).api_calls;
  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-end">
        <NativeSelect
          label="Days"
          data={dayChoices.map((value) => ({ value: String(value), label: `the last ${value}` }))}
          value={String(days)}
          onChange={({ currentTarget: { value } }) => onShow({ days: Number(value) })}
        />
        <NativeSelect
          label="Environment"
          data={[
            { value: '', label: 'Both' },
            { value: 'test', label: 'Test' },
            { value: 'prod', label: 'Production' },
          ]}
          value={of ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onShow({ of: value === 'test' || value === 'prod' ? value : undefined })
          }
        />
      </Group>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <DayChart
            title="Calls by day"
            what={['call', 'calls']}
            days={by_day.map(({ date, calls }) => ({ date, count: calls }))}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <DayChart
            title="Records added by day"
            what={['record', 'records']}
            days={by_day.map(({ date, records_added }) => ({ date, count: records_added }))}
          />
        </Grid.Col>
      </Grid>
      <WorkCharts usage={usage} />
    </Stack>
  );
}

const noUsage = { api_calls: { by_day: [] }, records: { by_entity: {} } } as const;

const works = [
  { title: 'Runs by day', what: ['run', 'runs'], member: 'runs' },
  { title: 'Deliveries by day', what: ['delivery', 'deliveries'], member: 'deliveries' },
  { title: 'Time of scripts by day', what: ['millisecond', 'milliseconds'], member: 'script_ms' },
  { title: 'Mails by day', what: ['mail', 'mails'], member: 'mails' },
] as const;

/** Of an org that uses automation. It is counted for both environments together. */
function WorkCharts({ usage: { work } }: { readonly usage: Usage }) {
  const used = works.filter(({ member }) => work.by_day.some((day) => day[member] > 0));
  if (used.length === 0) return null;
  return (
    <Stack gap="sm">
      <Title order={2}>Automation, in both environments</Title>
      <Grid gap="lg">
        {used.map(({ title, what, member }) => (
          <Grid.Col key={member} span={{ base: 12, md: 6 }}>
            <DayChart
              title={title}
              what={what}
              days={work.by_day.map((day) => ({ date: day.date, count: day[member] }))}
            />
          </Grid.Col>
        ))}
      </Grid>
    </Stack>
  );
}

interface ByProps {
  readonly usage: Usage;
  readonly of: UsageSearch['of'];
}

function ByEntity({ usage, of }: ByProps) {
  const { by_entity } = (of === undefined ? usage.usage : (usage.environments[of] ?? noUsage)).records;
  const rows = Object.entries(by_entity)
    .map(([name, records]): Ranked => ({ name, values: [records] }))
    .toSorted(byFirst);
  return (
    <Ranking
      title="Records by entity"
      columns={['Entity', 'Records']}
      rows={rows.slice(0, rowsShown)}
      all={rows.length}
      empty="There are no records yet."
    />
  );
}

function ByWorkspace({ usage, of }: ByProps) {
  const rows = usage.usage.by_workspace
    .filter(({ env }) => of === undefined || env === of)
    .map(({ env, tenant_code, api_calls, records }): Ranked => {
      const place = `${tenant_code ?? 'no workspace, such as signing in'}${of === undefined ? `, ${env}` : ''}`;
      return { name: place, values: [api_calls.month, api_calls.today, records.total] };
    });
  return (
    <Stack gap="xs">
      <Ranking
        title="By workspace"
        columns={['Workspace', 'Calls this month', 'Today', 'Records']}
        rows={rows.slice(0, rowsShown)}
        all={rows.length}
        empty="No workspace has been called or has records yet."
      />
      {usage.usage.by_workspace.length >= 1000 && (
        <Text size="xs" c="dimmed">
          The platform lists the 1,000 workspaces with most calls.
        </Text>
      )}
    </Stack>
  );
}

function byFirst({ values: [left = 0] }: Ranked, { values: [right = 0] }: Ranked): number {
  return right - left;
}
