import { beginCall } from './api/call.ts';
import type { screenFiles } from './screen-files.ts';

export interface FirstScreen {
  readonly org: string;
  readonly env: string;
  readonly screen: keyof typeof screenFiles | undefined;
  /** Of the path below the environment. */
  readonly segments: readonly string[];
  readonly search: URLSearchParams;
}

/**
 * Sends the calls by which a visit shows its first screen, before the scripts that need their replies are there. These
 * are the calls that the queries of the screen make: they take the replies, and send what was not sent here.
 */
export function beginFirstCalls({ org, env, screen, segments, search }: FirstScreen): void {
  beginCall('readMe', { mayBeSignedOut: true });
  if (env !== 'test' && env !== 'prod') return;
  const headers = { 'X-Org': org };
  if (screen === '') {
    beginCall('showOverview', { query: { env, workspaces: 10 }, headers });
    beginCall('showUsage', { query: { days: 31 }, headers });
  }
  if (screen === 'entities' || screen === 'records') beginCall('listEntities', { query: { env }, headers });
  const [, name = ''] = segments;
  if (screen === 'entities/$entity' || screen === 'records/$entity')
    beginCall('readEntity', { query: { env, entityName: name }, headers });
  const [workspace, user] = [search.get('w'), search.get('u')];
  if (screen !== 'records/$entity' || workspace === null || (env === 'prod' && user === null)) return;
  beginCall('impersonate', {
    body: { env, tenant_code: workspace, ...(user === null ? {} : { user_id: user }) },
    headers,
  });
}
