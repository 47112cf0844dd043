import { Badge, Button, Collapse, Group, Paper, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { usePlace } from '../../../api/session.ts';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import type { ValueInputs } from '../setting-form.tsx';
import { AddProvider } from './add-provider.tsx';
import { nameOf, type Provider } from './provider.ts';
import { ProviderFields } from './provider-fields.tsx';
import { SignInTest } from './sign-in-test.tsx';

/** The providers of the setting, each with its fields and a test of a sign-in. */
export function ProviderList({ value, isReadOnly, errorAt, onChange }: ValueInputs) {
  const providers = value as readonly Provider[];
  return (
    <Stack>
      {providers.length === 0 && (
        <Text size="sm" c="dimmed">
          No provider yet: users sign in with a password alone. A provider is added by its issuer, the address that its
          tokens have in the claim iss.
        </Text>
      )}
      {providers.map((provider, index) => (
        <ProviderEntry
          key={provider.issuer}
          provider={provider}
          isReadOnly={isReadOnly}
          errorAt={(member) => errorAt(`/${index}/${member}`)}
          onChange={(changed) => onChange(providers.map((one) => (one === provider ? changed : one)))}
          onRemove={() => onChange(providers.filter((one) => one !== provider))}
        />
      ))}
      {!isReadOnly && <AddProvider listed={providers} onAdd={(provider) => onChange([...providers, provider])} />}
    </Stack>
  );
}

interface EntryProps {
  readonly provider: Provider;
  readonly isReadOnly: boolean;
  readonly errorAt: (member: keyof Provider) => string | undefined;
  readonly onChange: (provider: Provider) => void;
  readonly onRemove: () => void;
}

const members: readonly (keyof Provider)[] = [
  'issuer',
  'audiences',
  'jwks_uri',
  'name',
  'email_domains',
  'email_verified_as_string',
];

function ProviderEntry({ provider, isReadOnly, errorAt, onChange, onRemove }: EntryProps) {
  const { adminReason } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const [isTesting, setIsTesting] = useState(false);
  const name = nameOf(provider);
  const mistake = members.map(errorAt).find((sentence) => sentence !== undefined);
  const isShown = isOpen || mistake !== undefined;
  return (
    <Paper withBorder p="sm" component="section" aria-label={name}>
      <Group justify="space-between">
        <div>
          <Group gap="xs">
            <Text fw={600}>{name}</Text>
            {mistake !== undefined && (
              <Badge color="red" variant="light" tt="none">
                has a mistake
              </Badge>
            )}
          </Group>
          {provider.name !== undefined && (
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {provider.issuer}
            </Text>
          )}
          <Text size="xs" c="dimmed">
            {provider.audiences.length === 1 ? 'Client id' : 'Client ids'}: {provider.audiences.join(', ') || 'none'}
          </Text>
        </div>
        <Group gap="xs">
          <Button
            variant="default"
            size="compact-sm"
            aria-expanded={isShown}
            aria-label={`${isReadOnly ? 'Show' : 'Edit'} ${name}`}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isReadOnly ? 'Show' : 'Edit'}
          </Button>
          <ReasonedButton
            reason={adminReason}
            variant="default"
            size="compact-sm"
            aria-label={`Test sign-in by ${name}`}
            onClick={() => setIsTesting(true)}
          >
            Test sign-in
          </ReasonedButton>
          {!isReadOnly && (
            <Button variant="subtle" color="red" size="compact-sm" aria-label={`Remove ${name}`} onClick={onRemove}>
              Remove
            </Button>
          )}
        </Group>
      </Group>
      <Collapse expanded={isShown}>
        {isShown && (
          <Stack gap="sm" mt="sm">
            <ProviderFields provider={provider} isReadOnly={isReadOnly} errorAt={errorAt} onChange={onChange} />
          </Stack>
        )}
      </Collapse>
      {isTesting && <SignInTest provider={provider} onClose={() => setIsTesting(false)} />}
    </Paper>
  );
}
