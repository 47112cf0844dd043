import { startCall } from './api/call.ts';
import { entitiesInput, entityInput, impersonateInput, overviewInput, usageInput } from './api/inputs.ts';
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
export function startFirstCalls({ org, env, screen, segments, search }: FirstScreen): void {
  startCall('readMe', { mayBeSignedOut: true });
  if (env !== 'test' && env !== 'prod') return;
  const headers = { 'X-Org': org };
  const [, entity = ''] = segments;
  if (screen === '') {
    startCall('showOverview', { ...overviewInput(env), headers });
    startCall('showUsage', { ...usageInput, headers });
  }
  if (screen === 'entities' || screen === 'records') startCall('listEntities', { ...entitiesInput(env), headers });
  if (screen === 'entities/$entity' || screen === 'records/$entity')
    startCall('readEntity', { ...entityInput(env, entity), headers });
  const workspace = search.get('w');
  // What is read in a user's name waits until it is known which builder reads, and why.
  if (screen === 'records/$entity' && workspace !== null && env === 'test' && search.get('u') === null)
    startCall('impersonate', { ...impersonateInput({ env, workspace, user: undefined, reason: undefined }), headers });
}
