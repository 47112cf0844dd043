import { text } from 'node:stream/consumers';
import { FreeholdError } from '@freehold/client/management';
import { jsonObjectOf } from '../app/read-reply.ts';
import { CommandError } from '../frame/command-error.ts';
import type { Context } from '../frame/context.ts';
import { connect, fetchFrom } from '../management/connect.ts';
import type { Profile } from '../profiles/profile-store.ts';
import { kindOfToken } from '../profiles/target.ts';
import type { SignInPlace } from './sign-in.ts';

/** Signs in with a deploy key or a service key that comes from standard input, or is typed unseen. */
export async function signInByKey(context: Context, place: SignInPlace): Promise<Profile> {
  const { url, org, appUrl } = place;
  if (org === undefined)
    throw new CommandError('the org of the key is not named', { code: 'wrong_usage', next: 'add `--org CODE`' });
  const key = (context.stdin.isTTY === true ? await context.ask.password('Key') : await text(context.stdin)).trim();
  if (!/^fh[dk]_[\w-]+$/.test(key))
    throw new CommandError('what came is no key: one begins with fhd_ or fhk_', {
      code: 'wrong_usage',
      next: 'make a deploy key with `POST /deploy/keys`, or a service key with `POST /org/service-keys`',
    });
  const profile: Profile = {
    url,
    org,
    kind: kindOfToken(key),
    token: key,
    ...(appUrl === undefined ? {} : { appUrl }),
  };
  await assertAccepted(profile);
  return profile;
}

/** Asks something small of the gateway that takes the credential. @throws where it is refused. */
export async function assertAccepted(profile: Profile): Promise<void> {
  if (profile.kind === 'service key') return assertServiceKey(profile);
  try {
    await connect(profile).call('listRetired');
  } catch (error) {
    // The key is known; the org has no production yet.
    if (error instanceof FreeholdError && error.code === 'conflict') return;
    throw error;
  }
}

async function assertServiceKey({ appUrl, org, token }: Profile): Promise<void> {
  if (appUrl === undefined)
    throw new CommandError('a service key is for the app gateway, whose address is not known', {
      code: 'wrong_usage',
      next: 'add `--app-url URL`',
    });
  const response = await fetchFrom(appUrl)(`${appUrl}/app/${encodeURIComponent(org)}/user/me`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  if (response.ok) {
    await jsonObjectOf(response, false);
    return;
  }
  throw new CommandError(`${appUrl} does not take this key (status ${response.status})`, {
    code: 'token_invalid',
    status: response.status,
    next: 'check the key, the org and the address of the app gateway',
  });
}
