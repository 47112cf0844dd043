import { createPeople, type PeopleDeps, type PeopleRouteDeps } from './people.ts';
import { peopleRoutes } from './routes.ts';

export type PeopleModuleDeps = PeopleDeps & Pick<PeopleRouteDeps, 'site' | 'inbox'>;

/** Everyone who calls, and where the module holds data of a person. */
export async function openPeople(deps: PeopleModuleDeps) {
  const people = await createPeople(deps);
  const { app, management } = people;
  return { ...people, routes: peopleRoutes({ ...deps, ...people, ...app, ...management, mode: deps.settings.mode }) };
}
