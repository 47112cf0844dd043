import { randomUUID } from 'node:crypto';
import type { signInApi } from '@freehold/contract/app/sign-in';
import type { ReplyOf } from '@freehold/contract/route';
import { notFound } from '../../lib/problem.ts';
import type { Key, Scope } from '../../store/port.ts';
import { tryCommit } from '../../store/transact.ts';
import { algorithm } from './app-tokens.ts';

const issuerKey: Key = { pk: 'platform', sk: 'issuer' };

/** The `iss` of every app token: fixed at first start, so that tokens outlive a change of address or node. */
export async function platformIssuer(platform: Scope, publicUrl: string | undefined): Promise<string> {
  for (;;) {
    const [item] = await platform.get([issuerKey]);
    if (item !== undefined) return item.value;
    const value = publicUrl ?? `urn:uuid:${randomUUID()}`;
    await tryCommit(platform, [{ kind: 'put', ...issuerKey, value, if: 'absent' }]);
  }
}

/**
 * The body of `/.well-known/openid-configuration` (OpenID Connect Discovery 1.0, section 3). It names the address of the
 * first start alone, so a request cannot name keys elsewhere.
 * @throws Problem `not_found` where the issuer is no address.
 */
export function discoveryDocument(issuer: string): ReplyOf<typeof signInApi.readIssuer> {
  if (!/^https?:/.test(issuer)) throw notFound();
  return {
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    id_token_signing_alg_values_supported: [algorithm],
    subject_types_supported: ['public'],
    response_types_supported: [],
  };
}
