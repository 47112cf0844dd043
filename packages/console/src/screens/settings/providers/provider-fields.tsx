import { Switch, TagsInput, TextInput } from '@mantine/core';
import { type Provider, withMember } from './provider.ts';

interface Props {
  readonly provider: Provider;
  readonly isReadOnly: boolean;
  readonly errorAt: (member: keyof Provider) => string | undefined;
  readonly onChange: (provider: Provider) => void;
}

/** What an app says of a provider beside its issuer. */
export function ProviderFields({ provider, isReadOnly, errorAt, onChange }: Props) {
  const { audiences, name = '', email_domains = [], jwks_uri = '', email_verified_as_string = false } = provider;
  return (
    <>
      <TagsInput
        label="Client ids"
        description="What the provider calls this app: a token has one of them in the claim aud. Press Enter after each."
        value={[...audiences]}
        readOnly={isReadOnly}
        error={errorAt('audiences')}
        maxTags={20}
        onChange={(values) => onChange(withMember(provider, 'audiences', values))}
      />
      <TextInput
        label="Name"
        description="What the sign-in form of the app calls it"
        value={name}
        readOnly={isReadOnly}
        error={errorAt('name')}
        autoComplete="off"
        onChange={({ currentTarget: { value } }) => onChange(withMember(provider, 'name', value))}
      />
      <TagsInput
        label="Email domains"
        description="Users with such an email are sent to this provider. Without domains it is offered to everyone."
        value={[...email_domains]}
        readOnly={isReadOnly}
        error={errorAt('email_domains')}
        maxTags={20}
        onChange={(values) => onChange(withMember(provider, 'email_domains', values))}
      />
      <Switch
        label="The claim email_verified may be a text"
        description="For a provider that writes it as the text true or false, such as Amazon Cognito"
        checked={email_verified_as_string}
        disabled={isReadOnly}
        onChange={({ currentTarget: { checked } }) =>
          onChange(withMember(provider, 'email_verified_as_string', checked))
        }
      />
      <TextInput
        label="Address of the keys"
        description="Only for a provider without a discovery document"
        value={jwks_uri}
        readOnly={isReadOnly}
        error={errorAt('jwks_uri')}
        autoComplete="off"
        onChange={({ currentTarget: { value } }) => onChange(withMember(provider, 'jwks_uri', value))}
      />
    </>
  );
}
