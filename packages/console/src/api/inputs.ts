/** What the first calls of screens send: the same where they are begun early and where their replies are shown. */
import type { Environment } from './session.ts';

export const overviewInput = (env: Environment) => ({ query: { env, workspaces: 10, first_steps: true } });

export const usageInput = { query: { days: 31 } };

export const entitiesInput = (env: Environment) => ({ query: { env } });

export const entityInput = (env: Environment, entityName: string) => ({ query: { env, entityName } });

interface Impersonated {
  readonly env: Environment;
  /** The code of the workspace. */
  readonly workspace: string;
  /** The id of the user; undefined for the builder himself. */
  readonly user: string | undefined;
  /** Why the user is viewed. */
  readonly reason: string | undefined;
}

export const impersonateInput = ({ env, workspace, user, reason }: Impersonated) => ({
  body: {
    env,
    tenant_code: workspace,
    ...(user === undefined ? {} : { user_id: user }),
    ...(reason === undefined ? {} : { reason }),
  },
});
