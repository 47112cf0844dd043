/** What the first calls of screens send: the same where they are begun early and where their replies are shown. */
import type { Environment } from './session.ts';

export const overviewInput = (env: Environment) => ({ query: { env, workspaces: 10, first_steps: true } });

export const usageInput = { query: { days: 31 } };

export const entitiesInput = (env: Environment) => ({ query: { env } });

export const entityInput = (env: Environment, entityName: string) => ({ query: { env, entityName } });

/** @param user The id of the user; undefined for the builder himself. */
export const impersonateInput = (env: Environment, workspace: string, user: string | undefined) => ({
  body: { env, tenant_code: workspace, ...(user === undefined ? {} : { user_id: user }) },
});
