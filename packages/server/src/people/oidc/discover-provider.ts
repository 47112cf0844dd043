import type { providersApi } from '@freehold/contract/management/settings/providers';
import type { ReplyOf } from '@freehold/contract/route';
import { AddressRefused, unansweredReason } from '../../lib/network/guarded-request.ts';
import { invalidBody, type Problem } from '../../lib/problem.ts';
import { isIssuer, issuerDemand } from '../settings/issuers.ts';
import { type FetchJson, type ProviderKey, readKeySet, UnusableAnswer } from './fetch-json.ts';
import {
  discoveryAddress,
  fetchMetadata,
  IssuerMismatch,
  NoKeySet,
  type ProviderMetadata,
  tokenAlgorithms,
} from './provider-tokens.ts';

/** The data that a provider publishes, as far as an app needs it. */
export type DiscoveredProvider = ReplyOf<typeof providersApi.discoverProvider>;

export interface DiscoveryRules {
  readonly isDevelopment: boolean;
  readonly timeoutMilliseconds: number;
}

export interface DiscoveryDeps extends DiscoveryRules {
  readonly fetchJson: FetchJson;
}

/**
 * Reads what a provider publishes: its discovery document and its keys, with one call for each.
 * @throws Problem `validation_failed` at `/issuer`, whose error says by its code which of these failed.
 */
export async function discoverProvider(deps: DiscoveryDeps, issuer: string): Promise<DiscoveredProvider> {
  const metadata = await readMetadata(deps, issuer);
  const named = textsOf(metadata.id_token_signing_alg_values_supported);
  const algorithms = named.filter((name) => (tokenAlgorithms as readonly string[]).includes(name));
  if (named.length > 0 && algorithms.length === 0)
    throw atIssuer(
      'no_supported_algorithm',
      `the provider signs identity tokens by ${quoted(named)} only, and the platform takes ${quoted(tokenAlgorithms)}`,
    );
  const keys = await readKeys(deps, metadata.jwks_uri);
  const methods = textsOf(metadata.token_endpoint_auth_methods_supported);
  return {
    issuer,
    jwks_uri: metadata.jwks_uri,
    authorization_endpoint: webAddressOf(deps, metadata.authorization_endpoint),
    token_endpoint: webAddressOf(deps, metadata.token_endpoint),
    // The names are required of every provider (OpenID Connect Discovery 1.0, section 3). Without them the keys tell.
    algorithms: algorithms.length > 0 ? algorithms : [...new Set(keys.flatMap((key) => key.algorithms))],
    keys: keys.length,
    scopes: textsOf(metadata.scopes_supported),
    claims: textsOf(metadata.claims_supported),
    pkce: textsOf(metadata.code_challenge_methods_supported).includes('S256'),
    public_clients: methods.includes('none'),
  };
}

/** @throws Problem as `discoverProvider` does. */
export async function readMetadata({ fetchJson, ...deps }: DiscoveryDeps, issuer: string): Promise<ProviderMetadata> {
  if (!isIssuer(issuer)) throw atIssuer('wrong_type', `must be ${issuerDemand}`);
  if (!deps.isDevelopment && !issuer.startsWith('https:'))
    throw atIssuer(
      'not_https',
      'must begin with `https://`: in production the platform asks no provider by plain http',
    );
  try {
    return await fetchMetadata(fetchJson, issuer);
  } catch (error) {
    throw undiscovered(error, issuer, deps.timeoutMilliseconds);
  }
}

function undiscovered(error: unknown, issuer: string, timeoutMilliseconds: number): Problem {
  if (error instanceof IssuerMismatch) {
    const named = typeof error.named === 'string' ? `the issuer \`${shortened(error.named)}\`` : 'no issuer';
    return atIssuer('issuer_mismatch', `the discovery document names ${named}: take it as the provider writes it`);
  }
  if (error instanceof NoKeySet) return atIssuer('no_key_set', error.message);
  const where = `\`${discoveryAddress(issuer)}\``;
  if (error instanceof UnusableAnswer)
    return atIssuer('no_discovery_document', `there is no discovery document at ${where}: ${error.message}`);
  return unreachable(error, where, timeoutMilliseconds);
}

function unreachable(error: unknown, where: string, timeoutMilliseconds: number): Problem {
  if (error instanceof AddressRefused)
    return atIssuer('address_refused', `the platform does not call ${where}: ${error.message}`);
  const isLate = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
  const why = isLate ? `there was no answer within ${timeoutMilliseconds / 1000} s` : unansweredReason(error);
  return atIssuer('unreachable', `${where} cannot be read: ${why}`);
}

async function readKeys(deps: DiscoveryDeps, address: string): Promise<readonly ProviderKey[]> {
  const where = `the key set at \`${shortened(address)}\``;
  const keys = await deps.fetchJson(address).then(keysIn, (error: unknown) => {
    if (error instanceof UnusableAnswer) throw atIssuer('no_key_set', `${where} cannot be read: ${error.message}`);
    throw unreachable(error, where, deps.timeoutMilliseconds);
  });
  if (keys.length > 0) return keys;
  throw atIssuer('no_supported_algorithm', `${where} has no key that verifies identity tokens here`);
}

function keysIn(document: unknown): readonly ProviderKey[] {
  try {
    return readKeySet(document);
  } catch {
    return [];
  }
}

function atIssuer(code: string, message: string): Problem {
  return invalidBody([{ pointer: '/issuer', code, message }]);
}

const textsMax = 50;
const charactersMax = 200;

/** Of a list from outside: the texts, as many and as long as a screen shows. */
function textsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value
    .slice(0, textsMax)
    .filter((text): text is string => typeof text === 'string')
    .map(shortened);
}

function shortened(text: string): string {
  return text.slice(0, charactersMax).toWellFormed();
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

const addressCharactersMax = 2048;

/** An address that a browser may be sent to; null for any other, such as an address that runs a script. */
export function webAddressOf({ isDevelopment }: DiscoveryRules, value: unknown): string | null {
  if (typeof value !== 'string' || value.length > addressCharactersMax) return null;
  const url = URL.parse(value);
  const protocols = isDevelopment ? ['https:', 'http:'] : ['https:'];
  return url !== null && protocols.includes(url.protocol) ? url.href : null;
}
