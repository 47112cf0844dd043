import type { ConfigReader } from '../../config/port.ts';
import { settingOf } from '../../config/port.ts';
import { emailKey } from '../../lib/formats/email-key.ts';
import type { Store } from '../../store/port.ts';
import { defaultWorkspaceCode, type Environment, orgScopeName } from '../../tenancy/port.ts';
import type { AppUser } from '../app-users/app-user.ts';
import { founderEmail, tenancyType } from '../settings/plain-settings.ts';
import { findIntent } from './founding.ts';
import type { OrgContext } from './workspace-head.ts';

export interface OutsideDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
}

/** Why a person under single tenancy is not in the default workspace, with what to do; undefined where that says nothing. */
export async function whyOutside(
  { stores, configs }: OutsideDeps,
  { env, orgCode }: OrgContext,
  { email, email_verified }: Pick<AppUser, 'email' | 'email_verified'>,
): Promise<string | undefined> {
  const config = await configs[env].current(orgCode);
  if (settingOf(config, env, tenancyType) !== 'single') return undefined;
  const founder = settingOf(config, env, founderEmail);
  if (founder === null) return undefined;
  if ((await findIntent(stores[env].scope(orgScopeName(orgCode)), defaultWorkspaceCode)) !== undefined)
    return undefined;
  if (emailKey(founder) !== emailKey(email))
    return 'the app has no workspace yet: its founder has to sign in first, with an email address that is verified';
  return email_verified
    ? 'the email address of the caller is verified by now: a fresh token founds the workspace'
    : 'the email address of the caller founds the workspace, and has to be verified first: follow the link in the mail, and get a fresh token';
}
