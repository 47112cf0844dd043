import type { ConfigReader } from '../config/port.ts';
import type { AccessEpochs } from '../iam/port.ts';
import type { Clock } from '../lib/clock.ts';
import type { IdSource } from '../lib/ids.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { Cursors, RecordRuntime, Sealer } from '../records/port.ts';
import type { Scope, Store } from '../store/port.ts';
import type { Environment } from '../tenancy/port.ts';
import type { Homes } from './homes.ts';
import type { ProviderTokens } from './oidc/provider-tokens.ts';
import type { MailThrottle } from './realm/mailed-codes.ts';
import type { PasswordHasher } from './realm/passwords.ts';
import type { LoginThrottle } from './realm/realm.ts';
import type { StepTokens } from './second-factors/step-tokens.ts';
import type { SigningKeys } from './signing-keys.ts';

/** The dependencies of the files of this module: each asks for some of them. */
export interface Parts {
  readonly platform: Scope;
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly homes: Homes;
  /** The platform's own issuer: fixed at first start. */
  readonly issuer: string;
  readonly signingKeys: SigningKeys;
  readonly providers: ProviderTokens;
  readonly hasher: PasswordHasher;
  readonly loginThrottle: LoginThrottle;
  /** Absent where no mail is set up. */
  readonly mailer?: Mailer | undefined;
  readonly mailThrottle: MailThrottle;
  readonly runtime: RecordRuntime;
  readonly cursors: Cursors;
  /** Of what people may do in a workspace. */
  readonly epochs: AccessEpochs;
  /** Counts, by `tokensKeyOf` and `sessionsKeyOf`, the tokens and sessions that this process has ended. */
  readonly revocations: AccessEpochs;
  /** Seals the secrets of authenticator apps. */
  readonly sealer: Sealer;
  readonly steps: StepTokens;
}
