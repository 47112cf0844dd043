import type { FetchJson } from './fetch-json.ts';
import { membersOf } from './key-set.ts';

/** What an issuer's discovery document says: its keys, and members that only some readers need. */
export interface ProviderMetadata extends Readonly<Record<string, unknown>> {
  readonly jwks_uri: string;
}

/** The discovery document does not belong to the issuer that it was asked for. */
export class IssuerMismatch extends Error {
  /** The issuer that it names. */
  readonly named: unknown;

  constructor(named: unknown) {
    super('the discovery document names another issuer');
    this.named = named;
  }
}

/** The discovery document does not say where the keys are. */
export class NoKeySet extends Error {}

/** OpenID Connect Discovery 1.0, section 4.1. */
export function discoveryAddress(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}

/** The document, held to its issuer (OpenID Connect Discovery 1.0, section 4.3). */
export async function fetchMetadata(fetchJson: FetchJson, issuer: string): Promise<ProviderMetadata> {
  const metadata = membersOf(await fetchJson(discoveryAddress(issuer)));
  if (metadata.issuer !== issuer) throw new IssuerMismatch(metadata.issuer);
  const { jwks_uri } = metadata;
  if (typeof jwks_uri !== 'string') throw new NoKeySet('the discovery document names no key set');
  return { ...metadata, jwks_uri };
}
