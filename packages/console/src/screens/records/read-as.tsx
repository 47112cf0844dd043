import { Button, NavLink, Popover, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { findMembers } from '../../api/members.ts';
import { usePlace } from '../../api/session.ts';
import { CheckIcon, ChevronIcon, UserIcon } from '../../components/icons.tsx';
import { LineSkeletons } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import classes from './grid.module.css';

interface Props {
  readonly workspace: string;
  /** The id of the user in whose name records are read; undefined for the builder. */
  readonly user: string | undefined;
  /** The user's address, once it is known. */
  readonly email: string | undefined;
}

/** In whose name the records are read, and the members of the workspace to choose from. */
export function ReadAs({ workspace, user, email }: Props) {
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
        <Readers workspace={workspace} user={user} close={() => setIsOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

interface ReadersProps {
  readonly workspace: string;
  readonly user: string | undefined;
  readonly close?: () => void;
}

/** The members of a workspace, found by a part of their email or name. */
export function Readers({ workspace, user, close }: ReadersProps) {
  const { env } = usePlace();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), 200);
  const pages = useInfiniteQuery({
    queryKey: ['readers', env, workspace, q],
    queryFn: ({ pageParam, signal }) => findMembers({ env, workspace }, { q, nexttoken: pageParam, signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nexttoken,
    placeholderData: keepPreviousData,
  });
  const choose = (u: string | undefined) => {
    close?.();
    void navigate({ to: '.', search: (kept) => ({ ...kept, u }), replace: true });
  };
  const members = pages.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <TextInput
        aria-label="Find a member"
        placeholder="Email or name…"
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        size="xs"
        m={4}
      />
      {env === 'test' && (
        <Reader
          email="You"
          what="as the builder, with every right"
          isChosen={user === undefined}
          onClick={() => choose(undefined)}
        />
      )}
      {pages.isPending && <LineSkeletons lines={3} />}
      <ProblemAlert error={pages.error} />
      {members.map(({ user_id, email, name, role, status }) => (
        <Reader
          key={user_id}
          email={email}
          what={[name, role, status === 'active' ? '' : `${status}, has no access`]
            .filter((part) => part !== '')
            .join(', ')}
          isChosen={user === user_id}
          isOut={status !== 'active'}
          onClick={() => choose(user_id)}
        />
      ))}
      {pages.isSuccess && members.length === 0 && !pages.hasNextPage && (
        <Text size="sm" c="dimmed" p="xs">
          {q === '' ? 'The workspace has no members.' : 'No member has this email or name.'}
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
  readonly what: string;
  readonly isChosen: boolean;
  readonly isOut?: boolean;
  readonly onClick: () => void;
}

function Reader({ email, what, isChosen, isOut = false, onClick }: ReaderProps) {
  return (
    <NavLink
      component="button"
      label={email}
      description={what}
      className={classes.reader ?? ''}
      disabled={isOut}
      aria-current={isChosen}
      rightSection={isChosen ? <CheckIcon size={12} /> : null}
      onClick={onClick}
    />
  );
}
