import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../api/call.ts';
import { queryClient } from '../api/query-client.ts';
import { meQuery } from '../api/session.ts';
import { lazyPart } from '../components/lazy.tsx';
import { LineSkeletons } from '../components/loaded.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import type { SignInStep } from '../screens/accounts/factor-step.tsx';

const FactorStep = lazyPart(
  async () => (await import('../screens/accounts/factor-step.tsx')).FactorStep,
  <LineSkeletons lines={3} />,
);

/** The call that finds the session ended may come from another dialog. */
const aboveDialogs = 400;

interface Props {
  readonly isOpen: boolean;
  readonly end: (isSignedIn: boolean) => void;
}

/** Asks the user whose session has ended to sign in again. */
export function SignInAgain({ isOpen, end }: Props) {
  return (
    <Modal
      opened={isOpen}
      onClose={() => end(false)}
      title="Your session has ended"
      keepMounted={false}
      zIndex={aboveDialogs}
    >
      <SignInForm end={end} />
    </Modal>
  );
}

function SignInForm({ end }: Pick<Props, 'end'>) {
  const me = queryClient.getQueryData(meQuery.queryKey);
  const [step, setStep] = useState<SignInStep>();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (password: string) => {
      const body = { email: me?.user.email ?? '', password, org: me?.org.code };
      return call('logIn', { body, headers: { 'X-Session': 'cookie' }, mayBeSignedOut: true });
    },
    onSuccess: (answer) => ('second_factor' in answer ? setStep(answer.second_factor) : end(true)),
  });
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // The screen below is in a tree of its own, but events of a dialog still pass through it.
    event.stopPropagation();
    mutate(String(new FormData(event.currentTarget).get('password') ?? ''));
  };
  if (step !== undefined)
    return (
      <Stack gap="sm">
        <FactorStep step={step} onSignedIn={() => end(true)} onOver={() => setStep(undefined)} />
      </Stack>
    );
  return (
    <form onSubmit={send}>
      <Stack gap="sm">
        <Text size="sm">
          Sign in again as {me?.user.email}. What you have typed is still there, and what you were doing goes on.
        </Text>
        <input type="hidden" name="email" autoComplete="username" value={me?.user.email ?? ''} readOnly />
        <PasswordInput name="password" label="Password" autoComplete="current-password" required data-autofocus />
        <ProblemAlert error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={() => end(false)}>
            Not now
          </Button>
          <Button type="submit" loading={isPending}>
            Sign in
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
