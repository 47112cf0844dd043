import { Button, Stack } from '@mantine/core';
import { lazyRouteComponent as routerLazy } from '@tanstack/react-router';
import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { ApiProblem } from '../api/problem.ts';
import { ProblemAlert } from './problem-alert.tsx';

/**
 * A screen whose files are loaded when it is first opened. In place of the router’s own, which reloads the page where a
 * file does not arrive: with the platform out of reach, that would take the console away.
 */
export const lazyRouteComponent: typeof routerLazy = (importer, exportName) =>
  routerLazy(() => arrived(importer), exportName);

/** A part of a screen whose files are loaded when it is first shown. The rest of the screen stays where they do not arrive. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>, fallback: ReactNode) {
  // What has arrived is shown at once where it is shown again.
  let known: ComponentType<Props> | undefined;
  return function LazyPart(props: Props) {
    const [Part, setPart] = useState(() => known);
    const [error, setError] = useState<unknown>();
    const [attempt, setAttempt] = useState(0);
    useEffect(() => {
      let isShown = attempt >= 0;
      arrived(load).then(
        (loaded) => {
          known = loaded;
          if (isShown) setPart(() => loaded);
        },
        (failure: unknown) => isShown && setError(failure),
      );
      return () => {
        isShown = false;
      };
    }, [attempt]);
    if (Part !== undefined) return <Part {...props} />;
    if (error === undefined) return fallback;
    const again = () => {
      setError(undefined);
      setAttempt(attempt + 1);
    };
    return (
      <Stack align="flex-start" p="sm">
        <ProblemAlert error={error} />
        <Button variant="default" onClick={again}>
          Try again
        </Button>
      </Stack>
    );
  };
}

/** Loads files. @throws ApiProblem. */
export async function arrived<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load();
  } catch {
    throw new ApiProblem(undefined, 'this part of the console did not arrive, because the platform cannot be reached');
  }
}
