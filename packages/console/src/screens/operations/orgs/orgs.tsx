import { Button, Group, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Screen } from '../../../components/screen.tsx';
import type { OperationsScreenProps } from '../operations-screens.ts';
import { OperatedOrg } from './operated-org.tsx';

/** The orgs of the platform, or one of them. */
export function OperatedOrgs({ item }: OperationsScreenProps) {
  return item === undefined ? <OpenOrg /> : <OperatedOrg org={item} />;
}

function OpenOrg() {
  const navigate = useNavigate();
  const [code, setCode] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const item = code.trim();
    if (item !== '') void navigate({ to: '/operations/{-$screen}/{-$item}', params: { screen: 'orgs', item } });
  };
  return (
    <Screen title="Orgs" intro="Each org has a plan, which limits what the org may use.">
      <form onSubmit={submit}>
        <Group align="flex-end" gap="sm">
          <TextInput
            label="Code of the org"
            description="It is in the address of its console and of its app."
            required
            maxLength={64}
            w={320}
            maw="100%"
            value={code}
            onChange={({ currentTarget: { value } }) => setCode(value)}
          />
          <Button type="submit">Open</Button>
        </Group>
      </form>
    </Screen>
  );
}
