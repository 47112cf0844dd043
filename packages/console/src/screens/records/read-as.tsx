import { Button, NavLink, Popover, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { usePlace } from '../../api/session.ts';
import { CheckIcon, ChevronIcon, UserIcon } from '../../components/icons.tsx';
import { LineSkeletons } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import classes from './grid.module.css';

interface Props {
  readonly workspace: string;
  readonly entity: string;
  /** The id of the user in whose name records are read; undefined for the builder. */
  readonly user: string | undefined;
  /** The user's address, once it is known. */
  readonly email: string | undefined;
}

/** In whose name the records are read, and the members of the workspace to choose from. */
export function ReadAs({ workspace, entity, user, email }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const name = user === undefined ? 'you, with every right' : (email ?? user);
  return (
    <Popover position="bottom-start" width={320} opened={isOpen} onChange={setIsOpen} trapFocus returnFocus>
      <Popover.Target>
        <UnstyledButton className={classes.who} onClick={() => setIsOpen((before) => !before)}>
          <UserIcon />
          <span className={classes.name}>Read as {name}</span>
          <ChevronIcon size={12} />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown p={4}>
        <Readers workspace={workspace} entity={entity} user={user} close={() => setIsOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

interface ReadersProps {
  readonly workspace: string;
  readonly entity: string;
  readonly user: string | undefined;
  readonly close?: () => void;
}

const verdicts: Readonly<Record<string, string>> = {
  allowed: 'may list these records',
  undecided: 'may list some of these records',
  explicit_deny: 'may not list these records',
  implicit_deny: 'may not list these records',
};

/** The members of a workspace with what their policies say about a list of the entity. */
export function Readers({ workspace, entity, user, close }: ReadersProps) {
  const { env } = usePlace();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const pages = useInfiniteQuery({
    queryKey: ['readers', env, workspace, entity],
    queryFn: ({ pageParam, signal }) =>
      call('readAccessMatrix', {
        query: { env, tenant_code: workspace, entity, pagesize: 50, nexttoken: pageParam },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nexttoken,
  });
  const choose = (u: string | undefined) => {
    close?.();
    void navigate({ to: '.', search: (kept) => ({ ...kept, u }), replace: true });
  };
  const members = pages.data?.pages.flatMap((page) => page.items) ?? [];
  const found = members.filter(({ email }) => email.toLowerCase().includes(typed.trim().toLowerCase()));
  return (
    <>
      <TextInput
        aria-label="Find a member by email"
        placeholder="Email of a member…"
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        size="xs"
        m={4}
      />
      {env === 'test' && (
        <Reader
          email="You"
          verdict="as the builder, with every right"
          isChosen={user === undefined}
          onClick={() => choose(undefined)}
        />
      )}
      {pages.isPending && <LineSkeletons lines={3} />}
      <ProblemAlert error={pages.error} />
      {found.map(({ user_id, email, status, role, entities }) => (
        <Reader
          key={user_id}
          email={email}
          verdict={
            status === 'active'
              ? `${role}, ${verdicts[entities[entity]?.list?.decision ?? ''] ?? ''}`
              : `${status}: has no access`
          }
          isChosen={user === user_id}
          isOut={status !== 'active'}
          onClick={() => choose(user_id)}
        />
      ))}
      {pages.isSuccess && found.length === 0 && (
        <Text size="sm" c="dimmed" p="xs">
          {members.length === 0 ? 'The workspace has no members.' : 'None of the members read so far has this address.'}
        </Text>
      )}
      {pages.hasNextPage && (
        <Button
          variant="subtle"
          size="xs"
          fullWidth
          loading={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </>
  );
}

interface ReaderProps {
  readonly email: string;
  readonly verdict: string;
  readonly isChosen: boolean;
  readonly isOut?: boolean;
  readonly onClick: () => void;
}

function Reader({ email, verdict, isChosen, isOut = false, onClick }: ReaderProps) {
  return (
    <NavLink
      component="button"
      label={email}
      description={verdict}
      className={classes.reader ?? ''}
      disabled={isOut}
      aria-current={isChosen}
      rightSection={isChosen ? <CheckIcon size={12} /> : null}
      onClick={onClick}
    />
  );
}
