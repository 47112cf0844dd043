/** A provider of the setting `auth.issuers`. */
export interface Provider {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly jwks_uri?: string;
  readonly name?: string;
  readonly email_domains?: readonly string[];
  readonly email_verified_as_string?: boolean;
}

export function nameOf({ name, issuer }: Provider): string {
  return name ?? issuer;
}

/** The entry with a member changed; an empty member is left out. */
export function withMember<Member extends keyof Provider>(
  provider: Provider,
  member: Member,
  value: Provider[Member] | undefined,
): Provider {
  const { [member]: _, ...others } = provider;
  const isEmpty =
    value === undefined || value === '' || value === false || (Array.isArray(value) && value.length === 0);
  const isNeeded = member === 'issuer' || member === 'audiences';
  return (isEmpty && !isNeeded ? others : { ...provider, [member]: value }) as Provider;
}

/** What was pasted as an issuer. The address of the discovery document is pasted as often, and has the issuer before it. */
export function pastedIssuer(text: string): string {
  return text.trim().replace(/\/\.well-known\/openid-configuration\/?$/, '');
}

/** The same issuer with a slash at its end or without: providers differ in that, and the exact one counts. */
export function otherSlash(issuer: string): string {
  return issuer.endsWith('/') ? issuer.slice(0, -1) : `${issuer}/`;
}
