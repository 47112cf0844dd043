import { Group, List, Paper, Select, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import { queryClient } from '../../../api/query-client.ts';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import { TypedConfirmation } from '../../../components/typed-confirmation.tsx';
import { When } from '../../../components/when.tsx';
import { type AppUser, appUsersQuery, nameOf, readAppUsersAgain } from '../queries.ts';
import { type Person, type PersonJob, personJobsQuery } from './queries.ts';
import { gainsOf } from './sentences.ts';

interface Props {
  readonly person: Person;
  readonly email: string;
  readonly jobs: readonly PersonJob[];
  /** Why no job can be begun now. */
  readonly reason: string | undefined;
}

/** Makes the account part of another account of the same person, once it was read what that one gains. */
export function MergeCard({ person, email, jobs, reason }: Props) {
  const { env, id } = person;
  const [stays, setStays] = useState<AppUser>();
  const into = stays?.id;
  const [isConfirming, setIsConfirming] = useState(false);
  const again = () => queryClient.invalidateQueries(personJobsQuery(person));
  const preview = useMutation({
    mutationFn: (chosen: string) =>
      call('mergeAppUser', { params: { id }, query: { dry_run: true }, body: { env, into: chosen } }),
    onSuccess: again,
  });
  const previewed = jobs.find((job) => job.into !== null && job.into === into && job.dry_run && job.seen !== null);
  const merge = useMutation({
    mutationFn: ({ into: chosen, seen }: PersonJob) =>
      call('mergeAppUser', { params: { id }, body: { env, into: chosen ?? '', seen: seen ?? '' } }),
    onSuccess: async () => {
      setIsConfirming(false);
      await readAppUsersAgain();
      await again();
    },
  });
  const unchosen = into === undefined ? 'Choose the account that stays first.' : undefined;
  const unread = previewed === undefined ? 'Preview the merge into this account first.' : undefined;
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="merge">
      <Stack gap="sm">
        <Title order={2} id="merge">
          Merge
        </Title>
        <Text size="sm">
          Makes this account part of another account of the same person. That account gets its sign-ins, memberships and
          records; both are signed out. It cannot be undone.
        </Text>
        <AccountSelect person={person} chosen={stays} onChange={setStays} />
        <ProblemAlert error={preview.error} />
        <Group>
          <ReasonedButton
            reason={reason ?? unchosen}
            variant="default"
            loading={preview.isPending}
            onClick={() => into !== undefined && preview.mutate(into)}
          >
            Preview the merge
          </ReasonedButton>
          <ReasonedButton reason={reason ?? unchosen ?? unread} color="red" onClick={() => setIsConfirming(true)}>
            Merge the accounts
          </ReasonedButton>
        </Group>
      </Stack>
      {isConfirming && stays !== undefined && previewed !== undefined && (
        <TypedConfirmation
          title="Merge this account into the other one?"
          name={email}
          what="account that ends"
          action="Merge the accounts"
          work={{ ...merge, mutate: () => merge.mutate(previewed) }}
          onClose={() => {
            setIsConfirming(false);
            merge.reset();
          }}
        >
          <Text size="sm">
            {email} ({id}) becomes part of <strong>{stays.email}</strong> ({stays.id}). It cannot be undone. The account
            that stays gets this:
          </Text>
          <List size="sm">
            {gainsOf(previewed).map((sentence) => (
              <List.Item key={sentence}>{sentence}</List.Item>
            ))}
          </List>
        </TypedConfirmation>
      )}
    </Paper>
  );
}

const typingMilliseconds = 250;

interface SelectProps {
  readonly person: Person;
  readonly chosen: AppUser | undefined;
  readonly onChange: (account: AppUser | undefined) => void;
}

/** Finds the other accounts of the app by the beginning of their email; they are read once the field is entered. */
function AccountSelect({ person: { env, id }, chosen, onChange }: SelectProps) {
  const [typed, setTyped] = useState('');
  const [isEntered, setIsEntered] = useState(false);
  const [search] = useDebouncedValue(typed.trim(), typingMilliseconds);
  const found = useInfiniteQuery({ ...appUsersQuery(env, search, undefined), enabled: isEntered });
  const others = (found.data?.pages.flatMap(({ items }) => items) ?? []).filter((user) => user.id !== id);
  return (
    <>
      <Select
        label="The account that stays"
        placeholder="Email"
        data={others.map((user) => ({ value: user.id, label: user.email }))}
        value={chosen?.id ?? null}
        searchable
        clearable
        searchValue={typed}
        onSearchChange={setTyped}
        onFocus={() => setIsEntered(true)}
        // The server has searched already.
        filter={({ options }) => options}
        nothingFoundMessage={found.isFetching ? 'Searching' : 'No other account has this email'}
        renderOption={({ option }) => <Account account={others.find((user) => user.id === option.value)} />}
        onChange={(value) => onChange(others.find((user) => user.id === value))}
        maw={420}
      />
      {chosen !== undefined && (
        <Text size="sm" component="div" c="dimmed">
          <About account={chosen} />
        </Text>
      )}
      <ProblemAlert error={found.error} />
    </>
  );
}

function Account({ account }: { readonly account: AppUser | undefined }) {
  if (account === undefined) return null;
  return (
    <div>
      <Text size="sm">{account.email}</Text>
      <Text size="xs" c="dimmed" component="div">
        <About account={account} />
      </Text>
    </div>
  );
}

/** What tells accounts with the same email apart. */
function About({ account }: { readonly account: AppUser }) {
  const { email_verified, created_at, id } = account;
  const name = nameOf(account);
  return (
    <>
      {name === '' ? '' : `${name}, `}
      {email_verified ? 'email verified' : 'email not verified'}, created <When at={created_at} />, id {id}
    </>
  );
}
