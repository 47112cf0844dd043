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
