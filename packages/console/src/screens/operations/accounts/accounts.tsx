import { Alert, Paper, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import { Screen } from '../../../components/screen.tsx';
import { OperationsLink } from '../operations-link.tsx';
import { emailMax, type FactorReset, reasonMax, whyNotYet } from './factor-reset.ts';
import { ResetFactors } from './reset-factors.tsx';

interface Done {
  readonly email: string;
  readonly orgs: readonly string[];
}

/** What the operator does for accounts of builders, which may be in several orgs. */
export function BuilderAccounts() {
  const [done, setDone] = useState<Done>();
  return (
    <Screen
      title="Accounts"
      intro="Accounts of builders. An account may be in several orgs, so no admin of one org may weaken its sign-in: that is for you."
    >
      {done !== undefined && <DoneAlert {...done} onClose={() => setDone(undefined)} />}
      <FactorsForm onDone={setDone} />
    </Screen>
  );
}

function FactorsForm({ onDone }: { readonly onDone: (done: Done) => void }) {
  const [email, setEmail] = useState('');
  const [reason, setReason] = useState('');
  const [reset, setRequested] = useState<FactorReset>();
  const typed = { email: email.trim(), reason: reason.trim() };
  const missing = whyNotYet(typed);
  const ask = (event: FormEvent) => {
    event.preventDefault();
    if (missing === undefined) setRequested(typed);
  };
  const finish = (orgs: readonly string[]) => {
    onDone({ email: typed.email, orgs });
    setRequested(undefined);
    setEmail('');
    setReason('');
  };
  return (
    <Paper withBorder p="md" maw={640} component="section" aria-labelledby="lost-factors">
      <form onSubmit={ask}>
        <Stack gap="sm">
          <Text component="h2" id="lost-factors" fw={600}>
            A builder who has lost all second factors
          </Text>
          <Text size="sm">
            Be sure first, by another way than mail, that it is the person who asks. An admin of the org can do the same
            for a member who is in no other org.
          </Text>
          <TextInput
            label="Email address of the account"
            type="email"
            autoComplete="off"
            maxLength={emailMax}
            value={email}
            onChange={({ currentTarget: { value } }) => setEmail(value)}
          />
          <TextInput
            label="Reason"
            description="Such as how you know the person. Your audit log and that of each org of the account keep it."
            autoComplete="off"
            maxLength={reasonMax}
            value={reason}
            onChange={({ currentTarget: { value } }) => setReason(value)}
          />
          <ReasonedButton reason={missing} type="submit" color="red" w="fit-content">
            Reset the second factors…
          </ReasonedButton>
        </Stack>
      </form>
      {reset !== undefined && <ResetFactors reset={reset} onDone={finish} onClose={() => setRequested(undefined)} />}
    </Paper>
  );
}

function DoneAlert({ email, orgs, onClose }: Done & { readonly onClose: () => void }) {
  return (
    <Alert
      color="teal"
      role="status"
      title={`${email} has no second factor any more`}
      withCloseButton
      closeButtonLabel="Close"
      onClose={onClose}
      style={{ overflowWrap: 'anywhere' }}
    >
      <Stack gap={4}>
        <Text size="sm">
          The sessions of the account have ended, the recovery codes are removed, and a mail tells the person.{' '}
          {orgs.length === 0 ? 'The account is in no org.' : 'The audit logs of its orgs have it: '}
          {orgs.map((org, index) => (
            <span key={org}>
              {index > 0 && ', '}
              <OperationsLink screen="orgs" item={org}>
                {org}
              </OperationsLink>
            </span>
          ))}
          {orgs.length > 0 && '.'}
        </Text>
        <Text size="sm">
          <OperationsLink screen="audit" search={{ what: 'second_factor.' }}>
            The entry in your audit log
          </OperationsLink>
        </Text>
      </Stack>
    </Alert>
  );
}
