import type { ConsoleSite } from '../api/headers/console-cookie.ts';
import type { AuditContext } from '../audit/audit-entry.ts';
import type { OperatorLog } from '../audit/operator-log.ts';
import type { SettingType } from '../config/port.ts';
import type { HitTally } from '../lib/bounded-map.ts';
import type { Environment } from '../tenancy/port.ts';
import { discoveryDocument, platformIssuer } from './app-tokens.ts';
import { createAppMails } from './app-users/app-mails.ts';
import { createAppSelf } from './app-users/app-self.ts';
import { createAppSignIn } from './app-users/app-sign-in.ts';
import { createNewAccounts } from './app-users/new-accounts.ts';
import { createOrgAppUsers } from './app-users/org-app-users.ts';
import { accountData, createPersonAccounts } from './app-users/person-data.ts';
import { createSuspendedAccounts } from './app-users/suspended-accounts.ts';
import { createDeployKeys } from './keys/deploy-keys.ts';
import { createServiceKeys } from './keys/service-keys.ts';
import { createMailDrafts, type MailDraftsDeps } from './mails/mail-drafts.ts';
import { createProviderTokens } from './oidc/provider-tokens.ts';
import { createProviderTrials } from './oidc/sign-in-trial.ts';
import { createOperatorAccess } from './operator-key.ts';
import type { SignUpPolicy } from './org-users/account.ts';
import { createOrgAccounts } from './org-users/org-accounts.ts';
import { createPlatformOrgs } from './org-users/platform-orgs.ts';
import { createCommandSignIns, createSignInLinks } from './org-users/sign-in-links.ts';
import type { Parts } from './parts.ts';
import { createMailThrottle } from './realm/mailed-codes.ts';
import { createPasswordHasher, type PasswordCost } from './realm/passwords.ts';
import { createLoginThrottle } from './realm/realm.ts';
import { createSecondFactors } from './second-factors/second-factors.ts';
import { createStepTokens } from './second-factors/step-tokens.ts';
import { createAppSessions } from './sessions/app-sessions.ts';
import { createImpersonation } from './sessions/impersonation.ts';
import { createAppOrigins } from './settings/allowed-domains.ts';
import { createOrgSettings } from './settings/org-settings.ts';
import { type LiveSigningKeys, startKeyUpkeep } from './signing-keys.ts';

/** OwnParts when the module is opened. */
type OwnParts = 'issuer' | 'signingKeys' | 'providers' | 'hasher' | 'loginThrottle' | 'mailThrottle' | 'steps';

export interface PeopleDeps extends Omit<Parts, OwnParts>, Pick<MailDraftsDeps, 'mailOut' | 'mailMeter'> {
  readonly signingKeys: LiveSigningKeys;
  readonly tokenTally: HitTally;
  /** 32 bytes, which sign the steps of a sign-in and the challenges of passkeys. */
  readonly stepKey: Buffer;
  readonly operatorLog: OperatorLog;
  readonly onError: (error: unknown) => void;
  readonly settings: {
    readonly mode: 'development' | 'production';
    readonly publicUrl: string | undefined;
    readonly operatorKeyDigest: string | undefined;
    readonly signUp: SignUpPolicy;
    /** Absent where mails leave the platform by no server. */
    readonly smtp?: object | undefined;
  };
  /** Every setting of an org. */
  readonly settingTypes: readonly SettingType[];
  /** The cost of a new password hash, where it is not the usual. */
  readonly passwordCost: PasswordCost | undefined;
}

export type People = Awaited<ReturnType<typeof createPeople>>;

/** The services by which the app gateway and the management gateway identify callers. */
export async function createPeople({ settings, passwordCost, ...deps }: PeopleDeps) {
  const { platform, stores, configs, clock, newId, signingKeys, homes } = deps;
  const issuer = await platformIssuer(platform, settings.publicUrl);
  const made = { hasher: createPasswordHasher({}, passwordCost), mailThrottle: createMailThrottle({ clock }) };
  // Failures at one door must not close another.
  const door = () => ({ loginThrottle: createLoginThrottle({ clock }) });
  const allowPrivateAddresses = settings.mode === 'development';
  const providers = createProviderTokens({ clock, allowPrivateAddresses });
  const app = { ...deps, ...made, issuer, ...door(), providers };
  const steps = createStepTokens(deps.stepKey, clock);
  const org = { ...deps, ...made, ...door(), steps, policy: settings.signUp };
  const digest = settings.operatorKeyDigest;
  const upkeep = startKeyUpkeep({ keys: signingKeys, operatorLog: deps.operatorLog, onError: deps.onError });
  return {
    /** The origins from which browsers may call an app. */
    origins: createAppOrigins({ platform, configs, clock }),
    /** The parts that workspaces use too. */
    shared: {
      mailThrottle: made.mailThrottle,
      newAccount: createNewAccounts({ ...app, sendsMail: settings.smtp !== undefined }),
    },
    personAccounts: createPersonAccounts(deps),
    personData: accountData,
    app: {
      jwks: signingKeys.jwks,
      discovery: () => discoveryDocument(issuer),
      signIn: createAppSignIn(app),
      sessions: createAppSessions(app),
      self: createAppSelf(app),
      mails: createAppMails(app),
    },
    management: {
      accounts: createOrgAccounts(org),
      secondFactors: createSecondFactors(org),
      commandSignIns: createCommandSignIns(org),
      signInLinks: settings.mode === 'development' ? createSignInLinks(org) : undefined,
      deployKeys: createDeployKeys({ platform, clock, newId }),
      operator: digest === undefined ? undefined : createOperatorAccess({ digest, ...door() }),
      serviceKeys: createServiceKeys(app),
      appUsers: createOrgAppUsers(app),
      suspendedAccounts: createSuspendedAccounts(app),
      impersonate: createImpersonation(app),
      mailDrafts: createMailDrafts(app),
      platformOrgs: createPlatformOrgs(deps),
      signingKeys,
      providerTrials: createProviderTrials({ clock, stores, configs, issuer, homes, allowPrivateAddresses }),
      settings: (env: Environment, auditContext: AuditContext) =>
        createOrgSettings({ env, types: deps.settingTypes, store: stores[env], configs: configs[env], auditContext }),
    },
    close: () => upkeep.close(),
  };
}

type AppIdentity = People['app'];
type ManagementIdentity = People['management'];

export interface PeopleRouteDeps extends AppIdentity, ManagementIdentity, Pick<People, 'origins'> {
  readonly site: ConsoleSite;
  readonly mode: 'development' | 'production';
  /** Undefined where mails leave the platform. */
  readonly inbox: object | undefined;
  readonly operatorLog: OperatorLog;
}
