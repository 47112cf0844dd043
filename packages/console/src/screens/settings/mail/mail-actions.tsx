import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import { meQuery, usePlace } from '../../../api/session.ts';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';
import { SettingConflict } from '../setting-conflict.tsx';
import type { SettingDraft } from '../use-setting-draft.ts';
import type { Mail, MailText } from './queries.ts';

interface Props {
  readonly mail: Mail;
  readonly text: MailText;
  readonly isOwn: boolean;
  readonly draft: SettingDraft;
  readonly onChange: (text: MailText | null) => void;
}

const atFields = ['/value/subject', '/value/text', '/value/html'];

/** A test to the builder, the platform's text again, and the save. */
export function MailActions({ mail, text, isOwn, draft, onChange }: Props) {
  const { adminReason } = usePlace();
  const [isResetting, setIsResetting] = useState(false);
  return (
    <Stack gap="sm">
      {draft.isOvertaken ? (
        <SettingConflict draft={draft} />
      ) : (
        <ProblemAlert error={draft.problem} shownAtFields={atFields} />
      )}
      <TestMail mail={mail} text={text} />
      <Group justify="flex-end">
        {draft.isSaved && (
          <Text size="sm" c="dimmed" role="status">
            Saved
          </Text>
        )}
        {isOwn && (
          <ReasonedButton reason={adminReason} variant="default" onClick={() => setIsResetting(true)}>
            Use the platform’s text
          </ReasonedButton>
        )}
        {draft.isDirty && (
          <Button variant="default" onClick={draft.discard}>
            Discard the changes
          </Button>
        )}
        <ReasonedButton
          reason={adminReason ?? (draft.isDirty ? undefined : 'Nothing is changed.')}
          loading={draft.isSaving}
          onClick={draft.save}
        >
          Save the text
        </ReasonedButton>
      </Group>
      <Modal opened={isResetting} onClose={() => setIsResetting(false)} title="Use the platform’s text?">
        <Text size="sm">
          Your text goes from the editor. Nothing is saved before you save it, and earlier versions stay.
        </Text>
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={() => setIsResetting(false)}>
            Cancel
          </Button>
          <Button
            onClick={() => {
              onChange(null);
              setIsResetting(false);
            }}
          >
            Use it
          </Button>
        </Group>
      </Modal>
    </Stack>
  );
}

function TestMail({ mail, text }: Pick<Props, 'mail' | 'text'>) {
  const { data: me } = useQuery(meQuery);
  const send = useMutation({
    mutationFn: () => call('sendTestMail', { params: { mail: mail.name }, body: text }),
  });
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Button variant="default" loading={send.isPending} onClick={() => send.mutate()}>
          Send a test
        </Button>
        <Text size="sm" c="dimmed">
          With sample values, to {me?.user.email ?? 'your address'} alone. Its link opens nothing.
        </Text>
      </Group>
      {send.isSuccess && (
        <Text size="sm" role="status">
          Sent to {send.data.to}.
        </Text>
      )}
      <ProblemAlert error={send.error} />
    </Stack>
  );
}
