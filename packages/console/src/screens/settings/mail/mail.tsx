import { Alert, Anchor, Badge, Group, Paper, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { usePlace } from '../../../api/session.ts';
import { Loaded } from '../../../components/loaded.tsx';
import { NotFound } from '../../../components/not-found.tsx';
import { Screen } from '../../../components/screen.tsx';
import { UnsavedGuard } from '../../../components/unsaved-guard.tsx';
import { PromotionNotice } from '../promotion-notice.tsx';
import { useSettingDraft } from '../use-setting-draft.ts';
import { MailActions } from './mail-actions.tsx';
import { MailFields } from './mail-fields.tsx';
import { MailPreview } from './mail-preview.tsx';
import { type Mail, type MailText, mailLabels, mailsQuery, textIn } from './queries.ts';

/** One mail: its text, and beside it what a user would get. */
export function MailScreen() {
  const { org, env } = usePlace();
  const { mail: name } = useParams({ from: '/o/$org/$env/settings/mail/$mail' });
  const mails = useQuery(mailsQuery(env));
  const mail = mails.data?.items.find((one) => one.name === name);
  if (mails.data !== undefined && mail === undefined) return <NotFound />;
  return (
    <Screen
      title={mailLabels[name] ?? 'Mail'}
      intro={mail?.sent}
      actions={
        <Anchor component={Link} to={`/o/${org}/${env}/settings/mail`} size="sm">
          All mails
        </Anchor>
      }
    >
      <PromotionNotice path={`mail/${name}`} />
      <Loaded query={mails} skeleton={<Skeleton height={420} />}>
        {() => mail && <MailEditor key={`${env} ${name}`} mail={mail} />}
      </Loaded>
    </Screen>
  );
}

function MailEditor({ mail }: { readonly mail: Mail }) {
  const { env, readOnlyReason, adminReason } = usePlace();
  const { name, value, prod_value, version } = mail;
  const draft = useSettingDraft({
    ...{ group: 'mail', name, value, version, default: null, description: mail.sent },
    ...(prod_value === undefined ? {} : { prod_value }),
  });
  const shown = env === 'prod' ? textIn(env, mail) : (draft.content.value as MailText | null);
  const text: MailText = shown ?? mail.default;
  const whyReadOnly = readOnlyReason ?? adminReason;
  const change = (next: MailText | null) => draft.change({ ...draft.content, value: next });
  return (
    <>
      <UnsavedGuard isDirty={draft.isDirty} />
      <Group gap="xs">
        <Badge variant="dot" color={shown === null ? 'gray' : 'teal'} tt="none">
          {shown === null ? 'the platform’s text' : 'your own text'}
        </Badge>
        <Text size="sm" c="dimmed">
          Setting {mail.setting}
          {version === 0 ? '' : `, version ${version}`}
        </Text>
      </Group>
      {env === 'test' && prod_value !== undefined && (
        <Alert color="gray" role="note">
          Production has a value of its own for this setting. It is changed in the configuration, as JSON.
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Paper withBorder p="md">
          <Stack>
            <MailFields
              mail={mail}
              text={text}
              isReadOnly={whyReadOnly !== undefined}
              draft={draft}
              onChange={change}
            />
            {env === 'test' && (
              <MailActions mail={mail} text={text} isOwn={shown !== null} draft={draft} onChange={change} />
            )}
          </Stack>
        </Paper>
        <MailPreview name={name} text={text} />
      </SimpleGrid>
    </>
  );
}
