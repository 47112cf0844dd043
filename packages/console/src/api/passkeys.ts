import type { managementApi } from '@freehold/contract/management';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { ApiProblem } from './problem.ts';

type Api = typeof managementApi;
/** As the API takes them: of what browsers say about extensions nothing is looked at. */
type Assertion = BodyOf<Api['signInByPasskey']>['passkey'];
type NewPasskey = BodyOf<Api['addPasskey']>['passkey'];

/** Why this browser makes and uses no passkeys at this address; undefined where it does. */
export function passkeyReason(): string | undefined {
  const { hostname } = window.location;
  if (/^[\d.]+$|^\[/.test(hostname))
    return 'Passkeys are bound to a name. Open the console at its host name, such as localhost, and not at an IP address.';
  if (!window.isSecureContext) return 'Passkeys need the console over https.';
  return 'PublicKeyCredential' in window ? undefined : 'This browser has no passkeys.';
}

/** Has the browser use a passkey. @throws ApiProblem if the user cancels it. */
export async function signByPasskey(options: ReplyOf<Api['readPasskeyChallenge']>): Promise<Assertion> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON;
  return (await request(() => startAuthentication({ optionsJSON }))) as Assertion;
}

/** Has the browser make a passkey. @throws ApiProblem if the user cancels it. */
export async function makePasskey(options: ReplyOf<Api['beginPasskey']>): Promise<NewPasskey> {
  const { startRegistration } = await import('@simplewebauthn/browser');
  const optionsJSON = options as PublicKeyCredentialCreationOptionsJSON;
  return (await request(() => startRegistration({ optionsJSON }))) as unknown as NewPasskey;
}

/** A browser says little about why, so that no page learns which passkeys there are. */
async function request<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    if (name === 'InvalidStateError')
      throw new ApiProblem(undefined, 'this device has a passkey of your account already');
    if (name === 'SecurityError')
      throw new ApiProblem(undefined, 'the platform makes passkeys for another address: see FREEHOLD_MANAGEMENT_URL');
    throw new ApiProblem(undefined, 'no passkey was used: it was cancelled, took too long, or there is none here');
  }
}
