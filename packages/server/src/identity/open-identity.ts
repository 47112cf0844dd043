import type { AuditContext } from '../audit/audit-entry.ts';
import type { OperatorLog } from '../audit/operator-log.ts';
import { createFences } from '../config/port.ts';
import { type AccessEpochs, createAccessEpochs } from '../iam/port.ts';
import type { Clock } from '../lib/clock.ts';
import type { HitTally } from '../lib/hit-tally.ts';
import type { Mailer } from '../mail/mailer.ts';
import { type Cursors, createWriteLoop, type LargeRemovals, type RecordRuntime, type Sealer } from '../records/port.ts';
import type { Scope } from '../store/port.ts';
import type { Environment } from '../tenancy/port.ts';
import { type Job, withParts } from '../work/job.ts';
import { createOrgAppUsers } from './app-users/administration/org-app-users.ts';
import { createAppMails } from './app-users/app-mails.ts';
import { createAppSelf } from './app-users/app-self.ts';
import { createAppSignIn } from './app-users/app-sign-in.ts';
import { createSuspendedAccounts } from './app-users/suspended-accounts.ts';
import { createInvitations, createWorkspaceInvitations } from './invitations/invitations.ts';
import { createDeployKeys } from './keys/deploy-keys.ts';
import { createOperatorAccess } from './keys/operator-key.ts';
import { createServiceKeys } from './keys/service-keys.ts';
import { createMailDrafts, type MailDraftsDeps } from './mails/mail-drafts.ts';
import { createProviderTokens } from './oidc/provider-tokens.ts';
import { createProviderTrials } from './oidc/sign-in-trial.ts';
import type { SignUpPolicy } from './org-users/account.ts';
import { createOrgAccounts } from './org-users/org-accounts.ts';
import { createPlatformOrgs } from './org-users/platform-orgs.ts';
import { createCommandSignIns, createSignInLinks } from './org-users/sign-in-links.ts';
import { createLoginThrottle } from './people/login-throttle.ts';
import { createMailThrottle } from './people/mailed-codes.ts';
import { createPasswordHasher, type PasswordCost } from './people/passwords.ts';
import { createPersonalData } from './personal-data/personal-data.ts';
import { personDataJob } from './personal-data/run-person-job.ts';
import { createSecondFactors } from './second-factors/second-factors.ts';
import { createStepTokens } from './second-factors/step-tokens.ts';
import { createAppSessions } from './sessions/app-sessions.ts';
import { createImpersonation } from './sessions/impersonation.ts';
import { createAppOrigins } from './settings/allowed-domains.ts';
import { createOrgSettings } from './settings/org-settings.ts';
import { discoveryDocument, platformIssuer } from './tokens/platform-issuer.ts';
import { type LiveSigningKeys, startKeyUpkeep } from './tokens/signing-keys.ts';
import type { MembershipDeps } from './workspaces/memberships.ts';
import { createOrgWorkspaces } from './workspaces/org-workspaces.ts';
import { alignWorkspaceJob, type SuspendDeps } from './workspaces/suspend-workspace.ts';
import { applicationJob, type RunApplicationDeps } from './workspaces/templates/run-application.ts';
import { createTemplateApplications } from './workspaces/templates/template-applications.ts';
import { createWorkspaceDrifts } from './workspaces/templates/workspace-drift.ts';
import {
  closeWorkspaceJob,
  type PurgeSpace,
  purgeWorkspaceJob,
  type RemovalDeps,
} from './workspaces/workspace-removal.ts';
import { createWorkspaces } from './workspaces/workspaces.ts';

export interface IdentityDeps extends MembershipDeps {
  readonly platform: Scope;
  readonly clock: Clock;
  readonly signingKeys: LiveSigningKeys;
  readonly mailer: Mailer | undefined;
  readonly mailOut: MailDraftsDeps['mailOut'];
  readonly mailMeter: MailDraftsDeps['mailMeter'];
  readonly runtime: RecordRuntime;
  readonly removals: LargeRemovals;
  /** Is given the jobs about persons and workspaces. */
  readonly beginJobs: (jobs: readonly Job[]) => void;
  readonly epochs: AccessEpochs;
  readonly cursors: Cursors;
  readonly tokenTally: HitTally;
  /** Seals the secrets of authenticator apps. */
  readonly sealer: Sealer;
  /** 32 bytes, which sign the steps of a sign-in and the challenges of passkeys. */
  readonly stepKey: Buffer;
  /** Tells the jobs that there is work. */
  readonly wake: () => void;
  readonly operatorLog: OperatorLog;
  readonly forgetRuns: PurgeSpace['forgetRuns'];
  readonly workspaceRemoved: RemovalDeps['workspaceRemoved'];
  readonly workspaceResumed: SuspendDeps['workspaceResumed'];
  readonly onError: (error: unknown) => void;
  readonly settings: IdentitySettings;
  /** What a new password hash costs, where it is not the usual. */
  readonly passwordCost: PasswordCost | undefined;
  /** Moves where tokens of a person, or sessions of a builder, end, also where another node ends them. */
  readonly revocations: AccessEpochs | undefined;
}

export interface IdentitySettings {
  readonly mode: 'development' | 'production';
  readonly publicUrl: string | undefined;
  readonly operatorKeyDigest: string | undefined;
  readonly signUp: SignUpPolicy;
  /** Absent where mails leave the platform by no server. */
  readonly smtp?: object | undefined;
}

export type Identity = Awaited<ReturnType<typeof openIdentity>>;

/** Everyone who calls: what the app gateway and the management gateway know them by. */
export async function openIdentity({ settings, passwordCost, ...deps }: IdentityDeps) {
  const { platform, stores, configs, clock, newId, signingKeys } = deps;
  const issuer = await platformIssuer(platform, settings.publicUrl);
  const hasher = createPasswordHasher({}, passwordCost);
  const mailThrottle = createMailThrottle({ clock });
  // Failures at one door must not close another.
  const door = () => ({ loginThrottle: createLoginThrottle({ clock }) });
  const shared = { ...deps, issuer, hasher, mailThrottle, sendsMail: settings.smtp !== undefined };
  const allowPrivateAddresses = settings.mode === 'development';
  const providers = createProviderTokens({ clock, allowPrivateAddresses });
  const revocations = deps.revocations ?? createAccessEpochs();
  const app = { ...shared, ...door(), providers, revocations };
  const steps = createStepTokens(deps.stepKey, clock);
  const org = { ...shared, ...door(), revocations, steps, policy: settings.signUp };
  const digest = settings.operatorKeyDigest;
  const writeLoop = createWriteLoop({ configs, fences: createFences() });
  const personal = { ...app, writeLoop };
  deps.beginJobs([withParts(personDataJob, personal), ...workspaceJobs({ ...app, forgetRuns: deps.forgetRuns })]);
  const upkeep = startKeyUpkeep({ keys: signingKeys, operatorLog: deps.operatorLog, onError: deps.onError });
  return {
    /** What browsers may call an app from. */
    origins: createAppOrigins({ platform, configs, clock }),
    app: {
      jwks: signingKeys.jwks,
      discovery: () => discoveryDocument(issuer),
      signIn: createAppSignIn(app),
      sessions: createAppSessions(app),
      self: createAppSelf(app),
      mails: createAppMails(app),
      workspaces: createWorkspaces(app),
      invitations: createInvitations(app),
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
      personalData: createPersonalData(personal),
      impersonate: createImpersonation(app),
      mailDrafts: createMailDrafts(shared),
      orgWorkspaces: createOrgWorkspaces(deps),
      platformOrgs: createPlatformOrgs(deps),
      workspaceInvitations: createWorkspaceInvitations(app),
      workspaceDrifts: createWorkspaceDrifts(deps),
      templateApplications: createTemplateApplications(deps),
      signingKeys,
      providerTrials: createProviderTrials({ clock, stores, configs, issuer, allowPrivateAddresses }),
      settings: (env: Environment, auditContext: AuditContext) =>
        createOrgSettings({ env, store: stores[env], configs: configs[env], auditContext }),
    },
    close: () => upkeep.close(),
  };
}

type WorkspaceJobDeps = RunApplicationDeps & Pick<IdentityDeps, 'clock' | 'epochs' | 'foundingGate' | 'forgetRuns'>;

function workspaceJobs({ foundingGate, forgetRuns, ...deps }: WorkspaceJobDeps): readonly Job[] {
  const { clock, epochs } = deps;
  const policyGate: RunApplicationDeps['policyGate'] = async (workspace, policies) =>
    foundingGate?.(workspace, workspace.tenantCode, policies);
  return [
    withParts(alignWorkspaceJob, { epochs }),
    withParts(closeWorkspaceJob, { clock }),
    withParts(purgeWorkspaceJob, { clock, forgetRuns }),
    withParts(applicationJob, { ...deps, policyGate }),
  ];
}
