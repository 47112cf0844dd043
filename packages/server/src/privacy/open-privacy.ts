import type { RoutesOfModule } from '../api/route.ts';
import type { Job } from '../work/job.ts';
import { createPersonalData, type PersonalDataDeps } from './personal-data.ts';
import { personalDataRoutes } from './routes.ts';

/** All data of a person, which the modules name that hold some: erased, merged or exported by a job. */
export function openPrivacy(deps: PersonalDataDeps): {
  readonly routes: RoutesOfModule;
  readonly jobs: readonly Job[];
} {
  const personalData = createPersonalData(deps);
  return { routes: { management: personalDataRoutes(personalData) }, jobs: [personalData.job] };
}
