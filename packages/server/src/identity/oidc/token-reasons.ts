import { AddressRefused, unansweredReason } from '../../lib/network/guarded-request.ts';
import type { Problem } from '../../lib/problem.ts';

/**
 * Why a token was refused, for the builder who tries it. A caller of the app is told less: the reason stands in the cause
 * of the refusal alone.
 */
export function reasonOf({ cause, code, message }: Problem): string {
  if (typeof cause === 'string') return sentences[cause] ?? `${message} (${cause})`;
  if (cause instanceof AddressRefused) return `the keys of the issuer cannot be fetched: ${cause.message}`;
  return code === 'unavailable' ? `${message}: ${unansweredReason(cause)}` : message;
}

const sentences: Readonly<Record<string, string>> = {
  form: 'it is no JSON Web Token of three parts in base64url with a claim `iss`',
  key: 'the provider publishes no key of this id and algorithm',
  payload: 'its claims are no JSON',
  'header crit': 'its header has `crit`, which names extensions that the platform does not know',
  'header typ': 'its header has a `typ` other than `JWT`: it may be an access token',
  'header kid': 'the `kid` of its header is no text',
  'claim iss': 'its signed claims name another issuer',
  'claim exp': 'the claim `exp` is missing, or is no time in whole seconds',
  'claim nbf': 'the claim `nbf` is no time, or lies in the future',
  'claim iat': 'the claim `iat` is no time, or lies in the future',
  'claim events': 'it is a notice of a sign-out, and no identity token',
  'claim sub': 'the claim `sub` is missing, or is no text of 1 to 255 printing ASCII characters',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'its signature does not fit the key that it names',
  ERR_JOSE_ALG_NOT_ALLOWED: 'its algorithm is none that the platform takes',
  ERR_JWS_INVALID: 'its header cannot be read',
};
