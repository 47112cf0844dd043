import { Stack } from '@mantine/core';
import { useState } from 'react';
import { usePlace } from '../../api/session.ts';
import { Result } from './result.tsx';
import { bodyOf, type Simulation } from './simulation.ts';
import { SimulationForm } from './simulation-form.tsx';
import { useSimulation } from './use-simulation.ts';

interface Props {
  /** As they are edited elsewhere; what is wrong with them is shown as a refusal. */
  readonly statements: readonly unknown[];
}

/** Tries statements that are in no policy yet: beside an editor, which keeps them. */
export function DraftSimulator({ statements }: Props) {
  const { env, workspace } = usePlace();
  const [simulation, setSimulation] = useState<Simulation>({});
  const simulated = bodyOf(simulation, { env, workspace, statements });
  const result = useSimulation(simulated);
  return (
    <Stack gap="md">
      <SimulationForm
        simulation={simulation}
        simulated={simulated}
        error={result.error}
        isDraft
        onChange={(change) => setSimulation((before) => ({ ...before, ...change }))}
      />
      <Result simulated={simulated} result={result} />
    </Stack>
  );
}
