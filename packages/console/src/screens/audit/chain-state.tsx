import { Alert, Button, Collapse, Group, Paper, Stack, Table, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { CopyId } from '../../components/copy-id.tsx';
import { CheckIcon } from '../../components/icons.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { When } from '../../components/when.tsx';
import { counted } from '../../components/words/counted.ts';
import { type Chain, chainsQuery } from './queries.ts';

const figures = new Intl.NumberFormat('en');

const names: Readonly<Record<Chain['chain'], string>> = {
  org: 'the org itself',
  test: 'test',
  prod: 'production',
  workspace_test: 'inside the workspace, in test',
  workspace_prod: 'inside the workspace, in production',
};

/** Whether the log is whole, as far as it was verified, and how it is verified further. */
export function ChainState({ workspace }: { readonly workspace: string | undefined }) {
  const chains = useQuery(chainsQuery(workspace));
  const verification = useVerification(workspace);
  const [isOpen, setIsOpen] = useState(false);
  const { mutate, isPending, variables, error } = verification.work;
  return (
    <Paper withBorder p="md" component="section" aria-label="Verification">
      <Loaded query={chains}>
        {({ items }) => (
          <Stack gap="sm">
            <Summary chains={items} />
            <Group gap="sm">
              <Button
                variant="default"
                loading={isPending && variables === false}
                disabled={isPending}
                onClick={() => mutate(false)}
              >
                Verify now
              </Button>
              <Button
                variant="default"
                loading={isPending && variables === true}
                disabled={isPending}
                onClick={() => mutate(true)}
              >
                Verify from the first entry
              </Button>
              {isPending && (
                <Button variant="default" onClick={verification.stop}>
                  Stop
                </Button>
              )}
              <Button variant="default" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
                Chains
              </Button>
            </Group>
            <ProblemAlert error={error} />
            <Collapse expanded={isOpen}>{isOpen && <ChainTable chains={items} />}</Collapse>
          </Stack>
        )}
      </Loaded>
    </Paper>
  );
}

/** Verifies part by part until nothing is left, or a chain is broken. What is verified is remembered by the platform. */
function useVerification(workspace: string | undefined) {
  const isStopped = useRef(false);
  const work = useMutation({
    mutationFn: async (restart: boolean) => {
      isStopped.current = false;
      for (let isFirst = true; ; isFirst = false) {
        const body = { restart: restart && isFirst, ...(workspace === undefined ? {} : { tenant_code: workspace }) };
        const before = queryClient.getQueryData(chainsQuery(workspace).queryKey);
        const reply = await call('verifyAuditChains', { body });
        queryClient.setQueryData(chainsQuery(workspace).queryKey, reply);
        const isMoved = isFirst || verifiedOf(reply.items) > verifiedOf(before?.items ?? []);
        if (isStopped.current || !isMoved || reply.items.every(isDone)) return;
      }
    },
  });
  return {
    work,
    stop: () => {
      isStopped.current = true;
    },
  };
}

function isDone(chain: Chain): boolean {
  return chain.verified >= chain.entries || (chain.broken !== null && !isToBeLookedAt(chain));
}

/** Whether the fault was found before the verification began again, which has not reached it. */
function isToBeLookedAt({ verified, broken }: Chain): boolean {
  return broken !== null && verified < broken.entry - 1;
}

function verifiedOf(chains: readonly Chain[]): number {
  return chains.reduce((sum, { verified }) => sum + verified, 0);
}

function Summary({ chains }: { readonly chains: readonly Chain[] }) {
  const broken = chains.filter((chain) => chain.broken !== null);
  const entries = chains.reduce((sum, chain) => sum + chain.entries, 0);
  const verified = verifiedOf(chains);
  const last = chains
    .flatMap(({ verified_at }) => verified_at ?? [])
    .toSorted()
    .at(-1);
  if (broken.length > 0)
    return (
      <Alert color="red" role="alert" title="The log is not as it was written">
        {broken.map((chain) => (
          <Fault key={chain.chain} chain={chain} />
        ))}
        <Text size="sm">
          A person with access to the stored data has changed it, or storage was damaged. Compare it with a backup, and
          tell the operator of the platform.
        </Text>
      </Alert>
    );
  const isWhole = verified >= entries && last !== undefined;
  return (
    <Group gap="xs" role="status">
      {isWhole && <CheckIcon />}
      <Text size="sm">
        {isWhole
          ? `${entries === 1 ? 'The only entry is' : `All ${counted(entries, 'entry', 'entries')} are`} verified: none was changed or removed.`
          : `${figures.format(Math.min(verified, entries))} of ${counted(entries, 'entry is', 'entries are')} verified.`}{' '}
        {last === undefined ? 'Nothing was verified yet.' : <Last at={last} />}
      </Text>
    </Group>
  );
}

function Fault({ chain }: { readonly chain: Chain }) {
  const { chain: name, broken: fault, verified } = chain;
  if (fault === null) return null;
  return (
    <Text size="sm">
      Entry {figures.format(fault.entry)} of the chain of {names[name]}: {fault.problem}. Found{' '}
      <When at={fault.found_at} />.
      {isToBeLookedAt(chain) && ` It is being verified again, up to entry ${figures.format(verified)} so far.`}
    </Text>
  );
}

function Last({ at }: { readonly at: string }) {
  return (
    <>
      Last verified <When at={at} />.
    </>
  );
}

function ChainTable({ chains }: { readonly chains: readonly Chain[] }) {
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        Each entry has a digest that depends on all entries before it. Keep a copy of a digest elsewhere: it proves
        later that no entry up to there was changed.
      </Text>
      <Table.ScrollContainer type="native" minWidth={520}>
        <Table aria-label="Chains">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Entries about</Table.Th>
              <Table.Th ta="right">Entries</Table.Th>
              <Table.Th ta="right">Verified</Table.Th>
              <Table.Th>Digest of the last verified entry</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {chains.map(({ chain, entries, verified, digest }) => (
              <Table.Tr key={chain}>
                <Table.Td>{names[chain]}</Table.Td>
                <Table.Td ta="right">{figures.format(entries)}</Table.Td>
                <Table.Td ta="right">{figures.format(verified)}</Table.Td>
                <Table.Td>{digest === null ? 'none' : <CopyId value={digest} what="digest" />}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}
