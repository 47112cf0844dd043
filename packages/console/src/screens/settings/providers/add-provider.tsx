import { Alert, Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import { ApiProblem } from '../../../api/problem.ts';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import { DiscoveredFacts } from './discovered-facts.tsx';
import { otherSlash, type Provider, pastedIssuer } from './provider.ts';
import { ProviderFields } from './provider-fields.tsx';

interface Props {
  readonly listed: readonly Provider[];
  readonly onAdd: (provider: Provider) => void;
}

/** A new provider, by its issuer: the platform reads what it publishes before it is added. */
export function AddProvider({ listed, onAdd }: Props) {
  const [issuer, setIssuer] = useState('');
  const [draft, setDraft] = useState<Provider>();
  const discover = useMutation({
    mutationFn: lookUp,
    onSuccess: (found) => setDraft({ issuer: found.issuer, audiences: [] }),
  });
  const begin = () => {
    setIssuer('');
    setDraft(undefined);
    discover.reset();
  };
  const entry = pastedIssuer(issuer);
  const isListed = listed.some((one) => one.issuer === entry);
  const problem = discover.error instanceof ApiProblem ? discover.error : undefined;
  return (
    <Paper withBorder p="sm" component="section" aria-label="Add a provider">
      <Stack gap="sm">
        <Title order={3} size="h4">
          Add a provider
        </Title>
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            label="Issuer"
            description="Such as https://accounts.example.com, or the address of its discovery document"
            value={issuer}
            error={isListed ? 'The list has this provider already.' : problem?.errorAt('/issuer')}
            autoComplete="off"
            flex={1}
            onChange={({ currentTarget: { value } }) => {
              setIssuer(value);
              setDraft(undefined);
              discover.reset();
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              if (entry !== '' && !isListed) discover.mutate(entry);
            }}
          />
          <ReasonedButton
            reason={
              entry === '' ? 'Type the issuer first.' : isListed ? 'The list has this provider already.' : undefined
            }
            variant="default"
            flex="none"
            loading={discover.isPending}
            onClick={() => discover.mutate(entry)}
          >
            Look it up
          </ReasonedButton>
        </Group>
        <ProblemAlert error={discover.error} shownAtFields={['/issuer']} />
        {problem?.errorAt('/issuer') !== undefined && draft === undefined && (
          <Unpublished onDraft={() => setDraft({ issuer: entry, audiences: [] })} />
        )}
        {discover.data !== undefined && <DiscoveredFacts found={discover.data} />}
        {draft !== undefined && (
          <>
            <ProviderFields provider={draft} isReadOnly={false} errorAt={() => undefined} onChange={setDraft} />
            <Group justify="flex-end">
              <Button variant="default" onClick={begin}>
                Cancel
              </Button>
              <ReasonedButton
                reason={
                  listed.some((one) => one.issuer === draft.issuer)
                    ? 'The list has this provider already.'
                    : draft.audiences.length === 0
                      ? 'It needs a client id first.'
                      : undefined
                }
                onClick={() => {
                  onAdd(draft);
                  begin();
                }}
              >
                Add to the list
              </ReasonedButton>
            </Group>
          </>
        )}
      </Stack>
    </Paper>
  );
}

/** A provider whose issuer differs by the slash at its end alone is found too. */
async function lookUp(issuer: string) {
  try {
    return await call('discoverProvider', { body: { issuer } });
  } catch (error) {
    const isOther = error instanceof ApiProblem && error.errors.some(({ code }) => code === 'issuer_mismatch');
    if (!isOther) throw error;
    return await call('discoverProvider', { body: { issuer: otherSlash(issuer) } }).catch(() => {
      throw error;
    });
  }
}

function Unpublished({ onDraft }: { readonly onDraft: () => void }) {
  return (
    <Alert color="gray" role="note">
      <Group justify="space-between">
        <Text size="sm">A provider without a discovery document is added by hand, with the address of its keys.</Text>
        <Button variant="default" size="compact-sm" onClick={onDraft}>
          Add it by hand
        </Button>
      </Group>
    </Alert>
  );
}
