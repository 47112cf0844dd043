import { Alert, Button, Checkbox, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { Sentence } from '../../components/sentence.tsx';
import { Confirmation } from './confirmation.tsx';
import classes from './deploy.module.css';
import { type AllStaged, readAgain, releasesQuery } from './queries.ts';

interface Props {
  /** What was on the screen when the dialog was opened. Exactly that becomes live, or nothing. */
  readonly staged: AllStaged;
  readonly note: string;
  readonly onNote: (note: string) => void;
  readonly close: () => void;
}

const lossesShown = 10;

/** Makes live what is staged, once its losses are shown and the app is named. */
export function ActivateDialog({ staged: { base, items, checks }, note, onNote, close }: Props) {
  const navigate = useNavigate();
  const [isForced, setIsForced] = useState(false);
  const activate = useMutation({
    mutationFn: () =>
      call('activate', {
        body: { base, ...(note.trim() === '' ? {} : { note: note.trim() }), ...(isForced ? { force: true } : {}) },
      }),
    onSuccess: async () => {
      close();
      await navigate({ to: '.', search: { tab: 'releases' } });
      await readAgain();
    },
    onError: () => queryClient.invalidateQueries({ queryKey: ['deploy'] }),
  });
  const isBehind = activate.error instanceof ApiProblem && activate.error.code === 'version_mismatch';
  const needsForce = checks.some(({ level, check }) => level === 'error' && check === 'records');
  const losses = checks.filter(({ loss }) => loss === true);
  const founder = checks.find(({ check }) => check === 'founder');
  const reason = isBehind
    ? 'What is staged has changed. Look at it again first.'
    : needsForce && !isForced
      ? 'Records stand against it. Correct them, or agree to it above.'
      : undefined;
  return (
    <Dialog onClose={close} title="Activate in production?" size="lg">
      <Stack>
        <Text size="sm">
          {items.length === 1 ? 'One item becomes' : `${items.length} items become`} live in production at once, or none
          if a check finds a fault. <WayBack />
        </Text>
        {founder !== undefined && (
          <Text size="sm">
            <Sentence text={founder.message} />
          </Text>
        )}
        {losses.length > 0 && (
          <Alert color="red" title="What production loses">
            <List size="sm">
              {losses.slice(0, lossesShown).map(({ kind, name, message }) => (
                <List.Item key={`${kind} ${name} ${message}`} className={classes.loss}>
                  {name}: <Sentence text={message} />
                </List.Item>
              ))}
            </List>
            {losses.length > lossesShown && <Text size="sm">and {losses.length - lossesShown} more</Text>}
          </Alert>
        )}
        {needsForce && (
          <Alert color="yellow" title="Records of production stand against it">
            <Checkbox
              label="Activate all the same. These records stay and can be read; the next write of each must meet the rules."
              checked={isForced}
              onChange={({ currentTarget: { checked } }) => setIsForced(checked)}
            />
          </Alert>
        )}
        <TextInput
          label="Note"
          description="For the history, such as why."
          maxLength={1000}
          value={note}
          onChange={({ currentTarget: { value } }) => onNote(value)}
        />
        <ProblemAlert error={activate.error} />
        {isBehind && (
          <Group>
            <Button variant="default" onClick={close}>
              Show what is staged now
            </Button>
            <Text size="sm">Your note is kept.</Text>
          </Group>
        )}
        <Confirmation
          action="Activate"
          reason={reason}
          isPending={activate.isPending}
          onConfirm={() => activate.mutate()}
          close={close}
        />
      </Stack>
    </Dialog>
  );
}

/** Nothing until it is known whether production has a release. */
function WayBack() {
  const { data } = useInfiniteQuery(releasesQuery);
  if (data === undefined) return null;
  const isFirst = data.pages.every(({ items }) => items.length === 0);
  return isFirst ? 'It is the first release, so there is nothing to go back to.' : 'One step back is always possible.';
}
