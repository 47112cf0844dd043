import { authzenApi } from './app/authzen.ts';
import { batchApi } from './app/batch.ts';
import { inboundHooksApi } from './app/hooks.ts';
import { invitationsApi } from './app/invitations.ts';
import { jobsApi } from './app/jobs.ts';
import { logicBlocksApi } from './app/logicblocks.ts';
import { mailsApi } from './app/mails.ts';
import { selfApi } from './app/self.ts';
import { signInApi } from './app/sign-in.ts';
import { workspacesApi } from './app/workspaces.ts';
import { sharedApi } from './shared.ts';

/** The app API but for the records of entities, which follow from their definitions. */
export const appApi = {
  ...authzenApi,
  ...batchApi,
  ...inboundHooksApi,
  ...invitationsApi,
  ...jobsApi,
  ...logicBlocksApi,
  ...mailsApi,
  ...selfApi,
  ...signInApi,
  ...workspacesApi,
  ...sharedApi,
};
