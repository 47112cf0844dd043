import type { secondFactorsApi } from '@freehold/contract/management/account/second-factors';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { json } from '../../store/table.ts';
import { type OpenedStep, type StepTokens, stepMilliseconds } from './step-tokens.ts';
import type { StoredPasskey } from './stored-factors.ts';

/** Passkeys (WebAuthn, level 3). What they sign is checked by a library, which is loaded with the first of them. */

/** The site where passkeys are made and used: they are bound to the host, and sign the origin. */
export interface PasskeySite {
  readonly host: string;
  readonly origin: string;
}

export type PasskeyAssertion = BodyOf<typeof secondFactorsApi.signInByPasskey>['passkey'];
export type NewPasskey = BodyOf<typeof secondFactorsApi.addPasskey>;
export type PasskeyRequest = ReplyOf<typeof secondFactorsApi.readPasskeyChallenge>;
export type PasskeyCreation = ReplyOf<typeof secondFactorsApi.beginPasskey>;

export const passkeysMax = 10;

/** @throws Problem `not_found` where the console has no address that browsers make passkeys for. */
export function requireSite(site: PasskeySite | undefined): PasskeySite {
  if (site !== undefined) return site;
  const sentence =
    'passkeys need the console at a host name over https, which FREEHOLD_MANAGEMENT_URL sets, or at `localhost`';
  throw new Problem('not_found', sentence);
}

/** @param passkeys those that may be used; none where the browser is to offer those that it knows. */
export function passkeyRequest(
  token: string,
  { host }: PasskeySite,
  passkeys: readonly StoredPasskey[] = [],
): PasskeyRequest {
  return {
    challenge: asChallenge(token),
    rpId: host,
    timeout: stepMilliseconds,
    userVerification: 'required',
    allowCredentials: passkeys.map(nameOf),
  };
}

/** EdDSA, ES256 and RS256, as the WebAuthn standard recommends. */
const algorithms = [-8, -7, -257];

export function passkeyCreation(
  token: string,
  { host }: PasskeySite,
  {
    user,
    passkeys,
  }: {
    readonly user: { readonly id: string; readonly email: string; readonly name: string };
    readonly passkeys: readonly StoredPasskey[];
  },
): PasskeyCreation {
  return {
    challenge: asChallenge(token),
    rp: { id: host, name: 'Freehold' },
    user: { id: asHandle(user.id), name: user.email, displayName: user.name },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout: stepMilliseconds,
    attestation: 'none',
    excludeCredentials: passkeys.map(nameOf),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  };
}

function nameOf({ id, transports }: StoredPasskey) {
  return { id, type: 'public-key' as const, ...(transports === undefined ? {} : { transports: [...transports] }) };
}

/** The step in the token that is the challenge of a signed text; undefined where it is none of this platform. */
export function openChallenge(steps: StepTokens, clientDataJSON: string): OpenedStep | undefined {
  const challenge = challengeIn(clientDataJSON);
  return challenge === undefined ? undefined : steps.open(Buffer.from(challenge, 'base64url').toString());
}

function challengeIn(clientDataJSON: string): string | undefined {
  try {
    return clientData.parse(Buffer.from(clientDataJSON, 'base64url').toString()).challenge;
  } catch {
    return undefined;
  }
}

const clientData = json<{ readonly challenge: string }>('client data', { challenge: 'string' });

function asChallenge(token: string): string {
  return Buffer.from(token).toString('base64url');
}

/** The id of its person that a passkey keeps, and sends when it signs in alone. */
function asHandle(userId: string): string {
  return Buffer.from(userId).toString('base64url');
}

export function userOfHandle(handle: string | undefined): string {
  return Buffer.from(handle ?? '', 'base64url').toString();
}

/** The library takes some 0.2 s and 29 MB to load, which a platform without passkeys need not have. */
function library() {
  return import('@simplewebauthn/server');
}

/** The passkey after it was used; undefined where it did not sign this, has verified no user, or its counter went back. */
export async function usedPasskey(
  passkey: StoredPasskey,
  { assertion, site, now }: { readonly assertion: PasskeyAssertion; readonly site: PasskeySite; readonly now: number },
): Promise<StoredPasskey | undefined> {
  const { verifyAuthenticationResponse } = await library();
  const { id, public_key, counter } = passkey;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: assertion as AuthenticationResponseJSON,
      expectedChallenge: challengeIn(assertion.response.clientDataJSON) ?? '',
      expectedOrigin: site.origin,
      expectedRPID: site.host,
      requireUserVerification: true,
      credential: { id, publicKey: new Uint8Array(Buffer.from(public_key, 'base64url')), counter },
    });
    const used = { ...passkey, counter: authenticationInfo.newCounter, last_used_at: timestamp(now) };
    return verified ? { ...used, is_backed_up: authenticationInfo.credentialBackedUp } : undefined;
  } catch {
    // The library throws on a refused passkey.
    return undefined;
  }
}

/** The passkey that a browser has made; undefined where what it made is not what it was asked for. */
export async function madePasskey(
  { name, passkey }: NewPasskey,
  { site, now }: { readonly site: PasskeySite; readonly now: number },
): Promise<StoredPasskey | undefined> {
  const { verifyRegistrationResponse } = await library();
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: passkey as unknown as RegistrationResponseJSON,
      expectedChallenge: challengeIn(passkey.response.clientDataJSON) ?? '',
      expectedOrigin: site.origin,
      expectedRPID: site.host,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    });
    if (!verified || registrationInfo === undefined) return undefined;
    const { credential, credentialBackedUp } = registrationInfo;
    return {
      id: credential.id,
      name,
      public_key: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: passkey.response.transports,
      is_backed_up: credentialBackedUp,
      created_at: timestamp(now),
    };
  } catch {
    return undefined;
  }
}
