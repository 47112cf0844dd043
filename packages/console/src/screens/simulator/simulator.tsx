import { Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { usePlace } from '../../api/session.ts';
import { MemberSelect } from '../../components/member-select.tsx';
import { Screen } from '../../components/screen.tsx';
import { JsonInput } from './json-input.tsx';
import { Result } from './result.tsx';
import { bodyOf, readSimulation, type Simulation, searchOf } from './simulation.ts';
import { SimulationForm } from './simulation-form.tsx';
import classes from './simulator.module.css';
import { useSimulation } from './use-simulation.ts';

const firstDraft = `[
  { "Sid": "Read", "Effect": "Allow", "Action": ["get*", "list*"], "Resource": ["*"] }
]`;

/** What the policies would decide about a call that is not made. What is typed stands in the address. */
export function Simulator() {
  const { env, workspace } = usePlace();
  const search = useSearch({ from: '/o/$org/$env/simulator' });
  const navigate = useNavigate();
  const [simulation, setSimulation] = useState(() => readSimulation(search));
  const [isLinked, setIsLinked] = useState(true);
  const change = (changed: Partial<Simulation>) => {
    const next = { ...simulation, ...changed };
    const linked = searchOf(next);
    setSimulation(next);
    setIsLinked(linked !== undefined);
    if (linked !== undefined)
      void navigate({ to: '.', search: (kept: object) => ({ ...kept, ...linked }) as never, replace: true });
  };
  const simulated = bodyOf(simulation, { env, workspace });
  const result = useSimulation(simulated);
  const isDraft = simulation.draft !== undefined;
  return (
    <Screen title="Simulator" intro="What the policies decide about a call, without making it.">
      <div className={classes.panes}>
        <Paper withBorder p="md" component="section" aria-label="Call">
          <Stack gap="md">
            <Title order={2}>Who does what</Title>
            <SegmentedControl
              aria-label="Whose policies"
              data={[
                { value: 'user', label: 'A user' },
                { value: 'draft', label: 'Draft statements' },
              ]}
              value={isDraft ? 'draft' : 'user'}
              onChange={(chosen) => change({ draft: chosen === 'draft' ? firstDraft : undefined })}
            />
            {isDraft ? (
              <JsonInput
                label="Statements in JSON"
                text={simulation.draft ?? ''}
                mistake={'mistakes' in simulated ? simulated.mistakes.draft : undefined}
                onChange={(draft) => change({ draft })}
              />
            ) : workspace === undefined ? (
              <Text size="sm" c="dimmed">
                Choose a workspace in the switch at the top, to simulate the calls of its users.
              </Text>
            ) : (
              <MemberSelect
                label="User"
                workspace={workspace}
                member={simulation.member}
                onChange={(member) => change({ member })}
              />
            )}
            <SimulationForm
              simulation={simulation}
              simulated={simulated}
              error={result.error}
              isDraft={isDraft}
              onChange={change}
            />
            {!isLinked && (
              <Text size="sm" c="dimmed" role="status">
                What is typed is too long for the address, which leads to an earlier state.
              </Text>
            )}
          </Stack>
        </Paper>
        <Result simulated={simulated} result={result} />
      </div>
    </Screen>
  );
}
