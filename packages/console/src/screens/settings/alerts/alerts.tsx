import { Alert, List, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../../../api/call.ts';
import { usageInput } from '../../../api/inputs.ts';
import { usePlace } from '../../../api/session.ts';
import { Loaded } from '../../../components/loaded.tsx';
import { SettingsFrame } from '../settings-page.tsx';
import { AlertWebhook } from './alert-webhook.tsx';
import { PercentForm } from './percent-form.tsx';

/** The same as Home asks for, so that both share what was read. */
const usageQuery = queryOptions({ queryKey: ['usage', 31], queryFn: () => call('showUsage', usageInput) });

/** When the platform warns an org, of what now, and where it sends the warnings. */
export function Alerts() {
  const { adminReason } = usePlace();
  return (
    <SettingsFrame path="alerts">
      <Paper withBorder p="md" component="section" aria-label="When the platform warns">
        <Stack gap="xs">
          <Title order={2}>When the platform warns</Title>
          <Text size="sm">
            When so much of a limit of the plan is used, once in each window of the limit. The platform also warns when
            a schedule skips a run, and when deliveries of an event are given up.
          </Text>
          <WarnAt />
          <CurrentAlerts />
        </Stack>
      </Paper>
      {adminReason === undefined ? (
        <AlertWebhook />
      ) : (
        <Paper withBorder p="md" component="section" aria-label="Alert webhook">
          <Title order={2}>Alert webhook</Title>
          <Text size="sm" mt="xs">
            Only an admin of the org sees and sets the address: such an address often has a token of its receiver in it.
          </Text>
        </Paper>
      )}
    </SettingsFrame>
  );
}

function WarnAt() {
  const usage = useQuery(usageQuery);
  return (
    <Loaded query={usage} skeleton={<Skeleton height={92} />}>
      {({ alert_percents }) => <PercentForm percents={alert_percents} />}
    </Loaded>
  );
}

function CurrentAlerts() {
  const usage = useQuery(usageQuery);
  return (
    <Loaded query={usage} skeleton={<Skeleton height={24} />}>
      {({ alerts, plan }) => {
        const limits = Object.entries(plan.limits).filter(([name]) => !name.endsWith('_days'));
        return (
          <>
            {alerts.map(({ message, level }) => (
              <Alert key={message} color={level === 'critical' ? 'red' : 'yellow'} title={message} />
            ))}
            {limits.length === 0 ? (
              <Text size="sm" c="dimmed">
                The plan {plan.name} has no limits, so there is nothing to warn of.
              </Text>
            ) : (
              <>
                {alerts.length === 0 && (
                  <Text size="sm" c="dimmed">
                    No limit of the plan {plan.name} is near now. Its limits:
                  </Text>
                )}
                <List size="sm" aria-label={`Limits of the plan ${plan.name}`}>
                  {limits.map(([name, limit]) => (
                    <List.Item key={name}>
                      {name.replaceAll('_', ' ')}: {Number(limit).toLocaleString('en')}
                    </List.Item>
                  ))}
                </List>
              </>
            )}
          </>
        );
      }}
    </Loaded>
  );
}
