import { type AccessEpochs, createAccessEpochs } from '../iam/port.ts';
import { openPeople, type PeopleModuleDeps } from '../people/open-people.ts';
import type { People } from '../people/people.ts';
import { openPrivacy } from '../privacy/open-privacy.ts';
import type { PersonalDataDeps } from '../privacy/personal-data.ts';
import { createFences, createWriteLoop } from '../records/port.ts';
import { createHomes } from '../workspaces/homes.ts';
import { openWorkspaces, type WorkspacesModuleDeps } from '../workspaces/open-workspaces.ts';
import type { Contributions } from './contribution.ts';

export type IdentityDeps = Omit<PeopleModuleDeps, 'homes' | 'revocations'> &
  Omit<WorkspacesModuleDeps, keyof People['shared']> &
  Omit<PersonalDataDeps, 'accounts' | 'holders' | 'writeLoop'> & {
    /** Moves where tokens of a person, or sessions of a builder, end, also where another node ends them. */
    readonly revocations: AccessEpochs | undefined;
  };

/** People, the workspaces that they are in, and all data of a person: each knows only what comes before it. */
export async function openIdentity(deps: IdentityDeps) {
  const { configs, revocations = createAccessEpochs() } = deps;
  const people = await openPeople({ ...deps, revocations, homes: createHomes(deps) });
  const workspaces = openWorkspaces({ ...deps, ...people.shared });
  const privacy = openPrivacy({
    ...{ ...deps, accounts: people.personAccounts, holders: [workspaces.personData, people.personData] },
    writeLoop: createWriteLoop({ configs, fences: createFences() }),
  });
  const contributions: Contributions = { people, workspaces, privacy };
  return {
    contributions,
    origins: people.origins,
    app: { ...people.app, ...workspaces.app },
    management: { ...people.management, ...workspaces.management },
  };
}
