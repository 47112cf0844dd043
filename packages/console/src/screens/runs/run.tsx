import { Alert, Anchor, Badge, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiProblem } from '../../api/problem.ts';
import { type Environment, usePlace } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { Screen } from '../../components/screen.tsx';
import { When } from '../../components/when.tsx';
import { CancelRun } from './cancel-run.tsx';
import { type RunDetails, type RunStep, runQuery } from './queries.ts';
import { RetryDialog } from './retry-dialog.tsx';
import { RunFacts } from './run-facts.tsx';
import { isOpen } from './run-words.ts';
import classes from './runs.module.css';
import { Labelled, StepCard } from './step-card.tsx';

/** One run: what began it, its steps, and what can be done with it. The page follows it to its end. */
export function RunScreen() {
  const { env, adminReason } = usePlace();
  const { run: id } = useParams({ from: '/o/$org/$env/runs/$run' });
  const query = useQuery(runQuery(env, id));
  const roleReason = env === 'prod' ? adminReason : undefined;
  const isGone = query.error instanceof ApiProblem && query.error.code === 'not_found';
  return (
    <Screen
      title={query.data === undefined ? 'Run' : `Run of ${query.data.block}`}
      actions={query.data !== undefined && <Actions key={id} run={query.data} roleReason={roleReason} />}
    >
      {isGone ? (
        <EmptyState title="This run is not known here">
          Runs are kept for some days after their end. A call that writes, waits and sends nothing leaves none.
        </EmptyState>
      ) : (
        <Loaded query={query}>{(run) => <Shown key={id} run={run} env={env} roleReason={roleReason} />}</Loaded>
      )}
    </Screen>
  );
}

interface OfRun {
  readonly run: RunDetails;
  /** Why the user may not change it. */
  readonly roleReason: string | undefined;
}

function Actions({ run, roleReason }: OfRun) {
  const [isConfirming, setIsConfirming] = useState(false);
  if (isOpen(run.state)) return <CancelRun id={run.id} reason={roleReason} />;
  if (run.state === 'done') return null;
  return (
    <>
      <ReasonedButton reason={roleReason ?? whyNotRetried(run)} onClick={() => setIsConfirming(true)}>
        Retry
      </ReasonedButton>
      {isConfirming && <RetryDialog run={run} from={undefined} onClose={() => setIsConfirming(false)} />}
    </>
  );
}

function whyNotRetried({ retried_as, redacted }: RunDetails): string | undefined {
  if (retried_as !== undefined) return 'It was retried already.';
  return redacted === true
    ? 'It wrote to encrypted fields, whose values are not kept, so it cannot be done again.'
    : undefined;
}

function Shown({ run, env, roleReason }: OfRun & { readonly env: Environment }) {
  const { error, input, returns, steps, has_more_steps } = run;
  return (
    <Stack gap="lg">
      <RunFacts run={run} />
      {error !== undefined && (
        <Alert
          color="red"
          classNames={{ title: classes.alertTitle ?? '' }}
          title={error.step === undefined ? 'It failed' : `It failed at the step ${error.step}`}
        >
          {error.message ?? error.code}
          {error.message !== undefined && ` (${error.code})`}
        </Alert>
      )}
      <section aria-label="Steps">
        <Title order={2} mb="xs">
          Steps
        </Title>
        {steps.length === 0 ? (
          <Text size="sm" c="dimmed">
            No step has read, written, waited or sent anything so far. Steps that only compute are not kept.
          </Text>
        ) : (
          <Stack gap="xs" component="ol" className={classes.list ?? ''}>
            {steps.map((step) => (
              <Step key={step.path} run={run} step={step} roleReason={roleReason} />
            ))}
          </Stack>
        )}
        {has_more_steps && (
          <Text size="sm" mt="xs">
            There are more steps than are shown.
          </Text>
        )}
        {steps.length > 0 && (
          <Text size="sm" c="dimmed" mt="xs">
            Steps that only compute are left out: they are kept only where they fail and the run goes on.
          </Text>
        )}
      </section>
      {input !== undefined && <Labelled label="Input of the run" title="Input of the run" value={input} />}
      {returns !== undefined && <Labelled label="What the run returned" title="Returned" value={returns} />}
      {input === undefined && (
        <Text size="sm" c="dimmed">
          {env === 'prod' ? 'Values are shown in the test environment only.' : 'Values are shown once the run is over.'}
        </Text>
      )}
    </Stack>
  );
}

const stateColors = { done: 'teal', failed: 'red', waiting: 'yellow' } as const;

function Step({ run, step, roleReason }: OfRun & { readonly step: RunStep }) {
  const [isConfirming, setIsConfirming] = useState(false);
  const isRetried = run.state === 'failed' || run.state === 'cancelled';
  return (
    <>
      <StepCard
        step={step}
        badges={
          <Badge variant="dot" color={step.caught === true ? 'yellow' : stateColors[step.state]}>
            {step.caught === true ? 'failed, the run went on' : step.state}
          </Badge>
        }
        action={
          isRetried && (
            <ReasonedButton
              reason={roleReason ?? whyNotRetried(run) ?? whyNotAgain(step)}
              variant="default"
              size="compact-sm"
              aria-label={`Retry from here: ${step.id}`}
              onClick={() => setIsConfirming(true)}
            >
              Retry from here
            </ReasonedButton>
          )
        }
        facts={<StepFacts step={step} tenantCode={run.tenant_code} />}
      />
      {isConfirming && <RetryDialog run={run} from={step} onClose={() => setIsConfirming(false)} />}
    </>
  );
}

function whyNotAgain({ type, state }: RunStep): string | undefined {
  return type === 'delete' && state === 'done'
    ? 'It deleted its record, which cannot be deleted again. Begin at a later step.'
    : undefined;
}

function StepFacts({ step, tenantCode }: { readonly step: RunStep; readonly tenantCode: string }) {
  const { org, env } = usePlace();
  const { at, until, entity, record, path } = step;
  return (
    <Text size="sm" c="dimmed">
      Begun <When at={at} />.
      {until !== undefined && (
        <>
          {' '}
          Waits until <When at={new Date(until).toISOString()} />.
        </>
      )}
      {entity !== undefined && (
        <>
          {' '}
          Records of{' '}
          <Anchor
            underline="always"
            component={Link}
            to={`/o/${org}/${env}/records/${entity}`}
            search={{ w: tenantCode } as never}
            size="sm"
          >
            {entity}
          </Anchor>
          {record === undefined ? '.' : `: ${record}.`}
        </>
      )}{' '}
      Path {path}.
    </Text>
  );
}
