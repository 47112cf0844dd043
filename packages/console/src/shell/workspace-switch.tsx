import { Anchor, Button, Divider, NavLink, Popover, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { usePlace } from '../api/session.ts';
import { CheckIcon, ChevronIcon } from '../components/icons.tsx';
import { LineSkeletons } from '../components/loaded.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { counted } from '../components/words/counted.ts';
import classes from './shell.module.css';

/** Chooses the workspace that screens are about. It stands in the address, so each tab has one of its own. */
export function WorkspaceSwitch() {
  const { workspace } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const name = workspace ?? 'All workspaces';
  return (
    <Popover position="bottom-start" width={300} opened={isOpen} onChange={setIsOpen} trapFocus returnFocus>
      <Popover.Target>
        <UnstyledButton
          className={classes.choice}
          aria-label={`Workspace: ${name}`}
          onClick={() => setIsOpen((before) => !before)}
        >
          <span className={classes.name}>{name}</span>
          <ChevronIcon size={12} />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown p={4}>
        <Workspaces close={() => setIsOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

interface WorkspacesProps {
  readonly close?: () => void;
  /** Whether all of them together are no choice. */
  readonly isOneNeeded?: true;
}

/** The workspaces of the environment, of which one can be chosen. */
export function Workspaces({ close, isOneNeeded }: WorkspacesProps) {
  const { org, env, workspace } = usePlace();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [prefix] = useDebouncedValue(typed.trim().toLowerCase(), 200);
  const pages = useInfiniteQuery({
    queryKey: ['workspaces', env, prefix],
    queryFn: ({ pageParam }) => call('listOrgWorkspaces', { query: { env, prefix, nexttoken: pageParam } }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nexttoken,
    placeholderData: keepPreviousData,
  });
  const choose = (w: string | undefined) => {
    close?.();
    void navigate({ to: '.', search: (kept) => ({ ...kept, w, u: undefined }) });
  };
  const items = pages.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <TextInput
        aria-label="Find a workspace by its code"
        placeholder="Code of a workspace…"
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        size="xs"
        m={4}
      />
      {isOneNeeded !== true && (
        <>
          <Choice name="All workspaces" isChosen={workspace === undefined} onClick={() => choose(undefined)} />
          <Divider my={4} />
        </>
      )}
      {pages.isPending && <LineSkeletons lines={3} />}
      <ProblemAlert error={pages.error} />
      {pages.isSuccess && items.length === 0 && (
        <Text size="sm" c="dimmed" p="xs">
          {prefix === '' ? (
            <>
              None yet. The first user who signs in to the app founds one, or you make one in{' '}
              <Anchor component={Link} to={`/o/${org}/${env}/workspaces`} size="sm" underline="always" onClick={close}>
                Workspaces
              </Anchor>{' '}
              or{' '}
              <Anchor component={Link} to={`/o/${org}/${env}/app-users`} size="sm" underline="always" onClick={close}>
                App users
              </Anchor>
              .
            </>
          ) : (
            'No workspace has this code.'
          )}
        </Text>
      )}
      {items.map(({ code, members, records }) => (
        <Choice
          key={code}
          name={code}
          description={`${counted(records, 'record')}, ${counted(members, 'member')}`}
          isChosen={code === workspace}
          onClick={() => choose(code)}
        />
      ))}
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

interface ChoiceProps {
  readonly name: string;
  readonly description?: string;
  readonly isChosen: boolean;
  readonly onClick: () => void;
}

function Choice({ name, isChosen, ...rest }: ChoiceProps) {
  return (
    <NavLink
      component="button"
      label={name}
      className={classes.entry}
      aria-current={isChosen}
      rightSection={isChosen ? <CheckIcon size={12} /> : null}
      {...rest}
    />
  );
}
