import { Group, Paper, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { Environment } from '../../api/session.ts';
import { type Ahead, limitOutlook } from '../usage/limit-outlook.ts';
import { DayBars } from './day-bars.tsx';
import type { Usage } from './first-steps.tsx';

const figures = new Intl.NumberFormat('en');

interface Props {
  readonly usage: Usage;
  readonly env: Environment;
  /** Whose calls and records are shown; undefined for those of all workspaces. */
  readonly workspace: string | undefined;
}

/** What the environment has used, beside the limits of the org's plan. */
export function UsageCards({ usage, env, workspace }: Props) {
  const whole = usage.environments[env];
  const own =
    workspace === undefined
      ? whole
      : usage.usage.by_workspace.find((row) => row.env === env && row.tenant_code === workspace);
  const { limits } = usage.plan;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="lg">
      <Card
        name="Calls today"
        value={own?.api_calls.today ?? 0}
        used={usage.usage.api_calls.today}
        limit={limits.api_calls_per_day}
        ahead={{ day: usage.forecast.api_calls_per_day, resets: usage.windows.day }}
      >
        {workspace === undefined && (
          <DayBars
            what={['call', 'calls']}
            days={(whole?.api_calls.by_day ?? []).map(({ date, calls }) => ({ date, count: calls }))}
          />
        )}
      </Card>
      <Card
        name="Records"
        value={own?.records.total ?? 0}
        used={usage.usage.records.total}
        limit={limits.records}
        ahead={{ day: usage.forecast.records, resets: null }}
      />
      <Card
        name="Entities"
        value={usage.caps.entities[env] ?? 0}
        used={usage.caps.entities[env] ?? 0}
        limit={usage.caps.entities.limit ?? undefined}
      />
    </SimpleGrid>
  );
}

/** What automation has done in both environments, beside the limits of a day; nothing of an org that does not use it. */
export function WorkCards({ usage: { work, plan } }: Pick<Props, 'usage'>) {
  const isUsed = worksShown.some(({ of }) => work.by_day.some((day) => of(day) > 0));
  if (!isUsed) return null;
  return (
    <Stack gap="sm" component="section" aria-label="Automation">
      <Title order={2}>Automation in both environments</Title>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="lg">
        {worksShown.map(({ name, what, of, limit }) => (
          <Card key={name} name={name} value={of(work.today)} used={of(work.today)} limit={plan.limits[limit]}>
            <DayBars what={what} days={work.by_day.map((day) => ({ date: day.date, count: of(day) }))} />
          </Card>
        ))}
      </SimpleGrid>
    </Stack>
  );
}

type Work = Usage['work']['today'];

const worksShown = [
  { name: 'Runs today', what: ['run', 'runs'], of: ({ runs }: Work) => runs, limit: 'runs_per_day' },
  {
    name: 'Deliveries today',
    what: ['delivery', 'deliveries'],
    of: ({ deliveries }: Work) => deliveries,
    limit: 'deliveries_per_day',
  },
  {
    name: 'Script seconds today',
    what: ['second', 'seconds'],
    of: ({ script_ms }: Work) => Math.ceil(script_ms / 100) / 10,
    limit: 'script_seconds_per_day',
  },
  { name: 'Mails today', what: ['mail', 'mails'], of: ({ mails }: Work) => mails, limit: 'mails_per_day' },
] as const;

interface CardProps {
  readonly name: string;
  readonly value: number;
  /** What counts towards the limit: calls and records of both environments. */
  readonly used: number;
  readonly limit: number | undefined;
  /** Of a limit that writes are held to. */
  readonly ahead?: Ahead;
  readonly children?: React.ReactNode;
}

function Card({ name, value, used, limit, ahead, children }: CardProps) {
  const outlook = ahead && limitOutlook(used, limit, ahead);
  const percent = limit === undefined || limit === 0 ? 0 : Math.min(100, (used / limit) * 100);
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <div>
          <Text size="sm" c="dimmed">
            {name}
          </Text>
          <Text fz="1.6rem" fw={600} lh={1.3}>
            {figures.format(value)}
          </Text>
        </div>
        {children}
      </Group>
      {limit === undefined ? (
        <Text size="xs" c="dimmed" mt="xs">
          No limit
        </Text>
      ) : (
        <>
          <Progress
            value={percent}
            color={percent >= 95 ? 'red' : percent >= 80 ? 'yellow' : 'cyan'}
            size="sm"
            mt="xs"
            aria-label={`${name}: ${Math.round(percent)} % of the limit`}
          />
          <Text size="xs" c="dimmed" mt={4}>
            {figures.format(used)} of {figures.format(limit)} in the whole org
          </Text>
          {outlook !== undefined && (
            <Text size="xs" mt={4}>
              {outlook}
            </Text>
          )}
        </>
      )}
    </Paper>
  );
}
