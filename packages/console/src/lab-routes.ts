import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { lazyRouteComponent } from './components/lazy.tsx';
import { screenFiles } from './screen-files.ts';

interface LabSearch {
  readonly tab?: 'suggest' | 'reported';
  /** The id of the policy that is changed, or `new`. */
  readonly policy?: string;
  /** Whose use a suggestion rests on, with the id. */
  readonly of?: 'user' | 'policy' | 'group';
  readonly id?: string;
}

function readLab({ tab, policy, of, id }: Record<string, unknown>): LabSearch {
  return {
    ...(tab === 'suggest' || tab === 'reported' ? { tab } : {}),
    ...(typeof policy === 'string' ? { policy } : {}),
    ...(of === 'user' || of === 'policy' || of === 'group' ? { of } : {}),
    ...(typeof id === 'string' ? { id } : {}),
  };
}

/** The policy lab, below the frame of all screens. */
export function labRoutes<Place extends AnyRoute>(place: Place) {
  const lab = createRoute({
    getParentRoute: () => place,
    path: 'policy-lab',
    validateSearch: readLab,
    component: lazyRouteComponent(screenFiles['policy-lab'], 'PolicyLab'),
  });
  return [lab] as const;
}
