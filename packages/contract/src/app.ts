import { authzenApi } from './app/authzen.ts';
import { batchApi } from './app/batch.ts';
import { invitationsApi } from './app/invitations.ts';
import { jobsApi } from './app/jobs.ts';
import { logicBlocksApi } from './app/logicblocks.ts';
import { mailsApi } from './app/mails.ts';
import { selfApi } from './app/self.ts';
import { signInApi } from './app/sign-in.ts';
import { workspacesApi } from './app/workspaces.ts';
import { routesOfFeatures } from './features.ts';
import { sharedApi } from './shared.ts';

/** The app API but for the records of entities, which follow from their definitions. */
export const appApi = {
  ...authzenApi,
  ...batchApi,
  ...invitationsApi,
  ...jobsApi,
  ...logicBlocksApi,
  ...mailsApi,
  ...selfApi,
  ...signInApi,
  ...workspacesApi,
  ...routesOfFeatures('app'),
  ...sharedApi,
};
