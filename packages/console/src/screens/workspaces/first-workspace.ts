import type { Environment } from '../../api/session.ts';

/** How the first workspace of an environment comes to be, as a sentence. */
export function firstWorkspace(env: Environment): string {
  return env === 'prod'
    ? 'The first user who signs in to the app joins a workspace that the platform founds; its first admin is named under Settings, Tenancy.'
    : 'The first user who signs in to the app founds a workspace and is its admin.';
}
