import { Anchor, Button, Code, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { ApiProblem } from '../../api/problem.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { AccountPage } from '../accounts/account-page.tsx';
import { idleMinutes, type LockReason } from './key-holder.ts';
import { unlockWith } from './operate.ts';

/** Asks for the operator key. */
export function Unlock({ why }: { readonly why: LockReason | undefined }) {
  return (
    <AccountPage
      title="Operations"
      intro="For the people who run this platform. The operator key opens it."
      footer={
        <Anchor component={Link} to="/" size="sm">
          To the console of your org
        </Anchor>
      }
    >
      {why !== undefined && (
        <Text size="sm" role="status">
          {whyLocked[why]}
        </Text>
      )}
      <KeyForm />
      <Text size="sm" c="dimmed">
        This page alone has the key, in its memory. The key is gone when you reload or leave the page, when you lock it,
        and after {idleMinutes} minutes without use.
      </Text>
    </AccountPage>
  );
}

const whyLocked: Readonly<Record<LockReason, string>> = {
  idle: `Locked, because nothing was done for ${idleMinutes} minutes.`,
  refused: 'Locked, because the platform does not take this key any more.',
};

/** The field has no name and no state of the page has its text, so nothing keeps what was typed once the form is gone. */
function KeyForm() {
  const field = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState<string>();
  const unlock = useMutation({
    mutationFn: async () => {
      const { current } = field;
      await unlockWith(typedIn(current));
      // The form is gone by now, and its field may be kept for a while.
      if (current !== null) current.value = '';
    },
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    const found = faultOf(typedIn(field.current));
    setFault(found);
    if (found === undefined) unlock.mutate();
  };
  const isWithoutKey = unlock.error instanceof ApiProblem && unlock.error.code === 'not_found';
  const isWrong = unlock.error instanceof ApiProblem && unlock.error.code === 'token_invalid';
  return (
    <form onSubmit={send}>
      <Stack gap="sm">
        <PasswordInput
          ref={field}
          label="Operator key"
          description="The value of FREEHOLD_OPERATOR_KEY, with which the platform was started."
          autoComplete="off"
          spellCheck={false}
          autoFocus
          error={fault ?? (isWrong && !unlock.isPending ? 'This is not the operator key of this platform.' : undefined)}
        />
        {isWithoutKey ? (
          <Text size="sm" role="alert">
            This platform was started without an operator key. Start it with <Code>FREEHOLD_OPERATOR_KEY</Code>, such as
            what <Code>openssl rand -hex 32</Code> prints.
          </Text>
        ) : (
          !isWrong && <ProblemAlert error={unlock.error} />
        )}
        <Button type="submit" loading={unlock.isPending} fullWidth mt="xs">
          Unlock
        </Button>
      </Stack>
    </form>
  );
}

function typedIn(field: HTMLInputElement | null): string {
  return field?.value.trim() ?? '';
}

/** What no key can be is not sent: a header takes no other text. */
function faultOf(key: string): string | undefined {
  if (key === '') return 'Type the operator key.';
  return /^[\x21-\x7e]+$/.test(key) ? undefined : 'A key has no spaces, and only signs of ASCII.';
}
